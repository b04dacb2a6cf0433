import pg from 'pg';
import {
  parseDatabaseUrl,
  type DatabaseAddress,
  type DatabaseHost,
  type TargetSession,
} from '../../config/database-address.js';

/** How long a host may take to say what it is, in milliseconds: less than any new connection may take. */
const PROBE_MS = 1_500;

/** `at`: this host alone, whatever it accepts. */
type Options = pg.ClientConfig & { at?: DatabaseHost };
/** What PostgreSQL (14 or newer) reports of itself at the beginning of each connection. */
type ServerSession = { isStandby: boolean; isReadOnly: boolean };
type Probe = { host: DatabaseHost; session?: ServerSession; failure?: unknown };
type StatusEvents = { on(event: 'parameterStatus', listener: (status: ParameterStatus) => void): void };
type ParameterStatus = { parameterName: string; parameterValue: string };

const MATCHES: Readonly<Record<Exclude<TargetSession, 'prefer-standby'>, (session: ServerSession) => boolean>> = {
  any: () => true,
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
};

/** None of the hosts of an address is there, or is what `target_session_attrs` asks for. */
export class NoSuitableHostError extends Error {
  /** SQLSTATE: a connection cannot be established. */
  readonly code = '08001';
}

/**
 * A client that knows several hosts and `target_session_attrs`, which `pg` does not. Before each connection all hosts
 * are asked at once what they are, and the first one that suits is taken. With one host and no condition it is a plain
 * client.
 */
export class MultiHostClient extends pg.Client {
  readonly #address: DatabaseAddress;
  /** Not visible, as it holds the password. */
  readonly #given: Options;

  constructor(given: Options = {}) {
    super(given);
    this.#given = given;
    this.#address = given.at
      ? { hosts: [given.at], targetSession: 'any' }
      : parseDatabaseUrl(given.connectionString ?? 'postgres:');
    if (given.at !== undefined) Object.assign(this, given.at);
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): unknown {
    const { hosts, targetSession } = this.#address;
    const isPlain = hosts.length === 1 && targetSession === 'any';
    if (isPlain && callback !== undefined) {
      super.connect(callback);
      return undefined;
    }
    const connected = isPlain ? super.connect() : this.connectToSuitable();
    if (callback === undefined) return connected;
    connected.then(() => callback(null as never), callback);
    return undefined;
  }

  private async connectToSuitable(): Promise<this> {
    try {
      Object.assign(this, await this.chooseHost());
    } catch (error) {
      // As `pg` does when a connection does not come about: the client is of no use any more.
      this.emit('end');
      throw error;
    }
    await super.connect();
    return this;
  }

  private async chooseHost(): Promise<DatabaseHost> {
    const { hosts, targetSession } = this.#address;
    const probes = hosts.map((host) => this.probe(host));
    const wanted = targetSession === 'prefer-standby' ? [MATCHES.standby, MATCHES.any] : [MATCHES[targetSession]];
    for (const suits of wanted) {
      for (const probe of probes) {
        const { host, session } = await probe;
        if (session !== undefined && suits(session)) return host;
      }
    }
    const reasons = (await Promise.all(probes)).map(describeProbe).join(', ');
    throw new NoSuitableHostError(`no host that is ${targetSession} (${reasons})`);
  }

  private async probe(host: DatabaseHost): Promise<Probe> {
    const client = Object.assign(new pg.Client({ ...this.#given, connectionTimeoutMillis: PROBE_MS }), host);
    client.on('error', () => undefined);
    const session = trackSession(client);
    try {
      await client.connect();
      return { host, session };
    } catch (failure) {
      return { host, failure };
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}

/** Filled in as the server reports it, which is before the client is connected. */
function trackSession(client: pg.Client): ServerSession {
  const session = { isStandby: false, isReadOnly: false };
  const { connection } = client as unknown as { connection: StatusEvents };
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (parameterValue !== 'on') return;
    if (parameterName === 'in_hot_standby') Object.assign(session, { isStandby: true, isReadOnly: true });
    if (parameterName === 'default_transaction_read_only') session.isReadOnly = true;
  });
  return session;
}

function describeProbe({ host: { host, port }, session, failure }: Probe): string {
  const { code, message } = (failure ?? {}) as { code?: string; message?: string };
  const state = session?.isStandby ? 'a standby' : session?.isReadOnly ? 'read-only' : 'a primary';
  return `${host}:${port} ${failure === undefined ? `is ${state}` : (code ?? message)}`;
}
