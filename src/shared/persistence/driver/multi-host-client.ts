import pg from 'pg';
import {
  parseDatabaseUrl,
  type DatabaseAddress,
  type DatabaseHost,
  type TargetSessionAttribute,
} from '../../config/database-address.js';

/** How long a host may take to report its state, in milliseconds; shorter than the timeout for a new connection. */
const PROBE_MS = 1_500;

/** `at` is the only host to connect to, whatever the state of its server. */
type Options = pg.ClientConfig & { at?: DatabaseHost };
/** The server state that PostgreSQL 14 and later report when a connection starts. */
type ServerSession = { isStandby: boolean; isReadOnly: boolean };
type Probe = { host: DatabaseHost; session?: ServerSession; failure?: unknown };
type StatusEvents = { on(event: 'parameterStatus', listener: (status: ParameterStatus) => void): void };
type ParameterStatus = { parameterName: string; parameterValue: string };

const MATCHES: Readonly<
  Record<Exclude<TargetSessionAttribute, 'prefer-standby'>, (session: ServerSession) => boolean>
> = {
  any: () => true,
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
};

/** No host in the URL is reachable and matches `target_session_attrs`. */
class NoSuitableHostError extends Error {
  /** The SQLSTATE for a connection that cannot be established. */
  readonly code = '08001';
}

/**
 * A client that supports several hosts and `target_session_attrs`, which pg's client does not. Before connecting, it
 * probes all hosts concurrently and chooses the first match in URL order. With one host and no condition, it behaves
 * like pg's client.
 */
export class MultiHostClient extends pg.Client {
  readonly #address: DatabaseAddress;
  /** A private field, so that the password does not appear in logs. */
  readonly #options: Options;

  constructor(options: Options = {}) {
    super(options);
    this.#options = options;
    this.#address = options.at
      ? { hosts: [options.at], targetSession: 'any' }
      : parseDatabaseUrl(options.connectionString ?? 'postgres:');
    if (options.at !== undefined) Object.assign(this, options.at);
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
      // Emits `end`, as pg does after a failed connection attempt, so that the pool removes the client.
      this.emit('end');
      throw error;
    }
    await super.connect();
    return this;
  }

  private async chooseHost(): Promise<DatabaseHost> {
    const { hosts, targetSession } = this.#address;
    const probes = hosts.map((host) => this.probe(host));
    const conditions = targetSession === 'prefer-standby' ? [MATCHES.standby, MATCHES.any] : [MATCHES[targetSession]];
    for (const matches of conditions) {
      for (const probe of probes) {
        const { host, session } = await probe;
        if (session !== undefined && matches(session)) return host;
      }
    }
    const reasons = (await Promise.all(probes)).map(describeProbe).join(', ');
    throw new NoSuitableHostError(`no host that is ${targetSession} (${reasons})`);
  }

  private async probe(host: DatabaseHost): Promise<Probe> {
    const client = Object.assign(new pg.Client({ ...this.#options, connectionTimeoutMillis: PROBE_MS }), host);
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

/** Returns an object that holds the server state once the client is connected. */
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
