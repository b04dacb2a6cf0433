import type pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { SESSION_TIMEOUTS_MS, type PoolWithClientClass } from './connection-pool.js';
import { isForUnreachableServer, type ServerUse } from './server-use.js';

/*
 * A connection is half-open if the server, or a device on the path to it, has disappeared without closing the
 * connection. A query on such a connection would wait until its own timeout. After a short silence, the detector
 * therefore opens a new connection and asks the server which connections are executing a statement. Silent connections
 * that are not among them are closed. If the server does not answer, all silent connections are closed. Their queries
 * fail, and the pool opens new connections.
 *
 * If the database is distributed, the detector also asks it which of its servers do not answer, and closes the silent
 * connections that wait for the rows of a Clinic on such a server.
 */

/** Silence after which the server is probed, in milliseconds. */
const SUSPECT_AFTER_MS = 2_000;
/** Timeout for the probe and for any new connection, in milliseconds. */
const PROBE_TIMEOUT_MS = 2_500;
/** Extra time for a result that is still in transit when the probe returns, in milliseconds. */
const GRACE_MS = 250;
/** Interval between checks for silent connections, in milliseconds. */
const CHECK_INTERVAL_MS = 500;
/**
 * A silent connection is closed after the statement timeout and this time, because PostgreSQL would have cancelled its
 * statement by then.
 */
const MAX_EXTRA_SILENCE_MS = 2_000;

type Connection = { on(event: string, listener: () => void): void; stream: { destroy(): void } };
/** The part of pg's client that the detector uses, including members without types. */
type DetectableClient = Omit<pg.Client, 'connect' | 'query'> & {
  connection: Connection;
  host: string;
  port: number;
  processID: number | null;
  readonly serverUse?: ServerUse | undefined;
  connect(callback?: (error: Error | null) => void): unknown;
  query(...statement: unknown[]): unknown;
};
type DetectableClientClass = new (options?: unknown) => DetectableClient;

/**
 * A client with the number of its unanswered queries, and the time (`performance.now()`) at which its silence began.
 */
type MonitoredClient = DetectableClient & { pendingQueries: number; silentSince: number };

/**
 * Makes a pool close its half-open connections.
 *
 * @param statementTimeoutMs the `statement_timeout` of the connections
 */
export function closeHalfOpenConnections(
  pool: PoolWithClientClass,
  statementTimeoutMs: number = SESSION_TIMEOUTS_MS.statement_timeout,
): void {
  pool.Client = withHalfOpenDetection(pool.Client as never, statementTimeoutMs + MAX_EXTRA_SILENCE_MS) as never;
}

/**
 * Returns a client class whose half-open connections are closed.
 *
 * @param maxSilenceMs silence after which a connection is closed even if the server reports that it is executing a
 *   statement
 */
export function withHalfOpenDetection(
  Client: DetectableClientClass,
  maxSilenceMs = Number.POSITIVE_INFINITY,
): DetectableClientClass {
  const detector = new HalfOpenDetector(Client, maxSilenceMs);
  return class extends Client implements MonitoredClient {
    pendingQueries = 0;
    silentSince = performance.now();

    constructor(options?: unknown) {
      super(options);
      this.connection.on('readyForQuery', () => (this.silentSince = performance.now()));
      this.once('end', () => detector.remove(this));
      detector.add(this, options);
    }

    override connect(callback?: (error: Error | null) => void): unknown {
      const timer = setTimeout(() => this.connection.stream.destroy(), PROBE_TIMEOUT_MS);
      this.connection.on('readyForQuery', () => clearTimeout(timer));
      this.once('end', () => clearTimeout(timer));
      return super.connect(callback);
    }

    override query(...statement: unknown[]): unknown {
      if (this.pendingQueries === 0) this.silentSince = performance.now();
      this.pendingQueries += 1;
      const onSettled = () => void (this.pendingQueries -= 1);
      const callback = statement.at(-1);
      if (isCallback(callback)) {
        return super.query(...statement.slice(0, -1), (...results: unknown[]) => {
          onSettled();
          callback(...results);
        });
      }
      const result = super.query(...statement);
      if (result instanceof Promise) result.then(onSettled, onSettled);
      else onSettled();
      return result;
    }
  };
}

/** Monitors all connections of one client class. */
class HalfOpenDetector {
  private readonly clients = new Set<MonitoredClient>();
  private options: unknown;
  private timer: NodeJS.Timeout | undefined;
  private isProbing = false;

  constructor(
    private readonly Client: DetectableClientClass,
    private readonly maxSilenceMs: number,
  ) {}

  add(client: MonitoredClient, options: unknown): void {
    this.options = options;
    this.clients.add(client);
    this.timer ??= setInterval(() => void this.check(), CHECK_INTERVAL_MS).unref();
  }

  remove(client: MonitoredClient): void {
    this.clients.delete(client);
    if (this.clients.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async check(): Promise<void> {
    this.closeAll((client) => client.pendingQueries > 0 && silenceMs(client) > this.maxSilenceMs);
    if (this.isProbing || ![...this.clients].some(isSuspect)) return;
    this.isProbing = true;
    try {
      await this.probe();
    } finally {
      this.isProbing = false;
    }
  }

  private async probe(): Promise<void> {
    const silentSinceByClient = new Map(
      [...this.clients].filter((client) => silenceMs(client) > SUSPECT_AFTER_MS).map((c) => [c, c.silentSince]),
    );
    const hosts = Map.groupBy([...this.clients].filter(isSuspect), toHostKey);
    const answers = await Promise.all(
      [...hosts].map(async ([host, clients]) => [host, await this.probeServer(clients)] as const),
    );
    await delay(GRACE_MS);
    const isExecuting = new Map(answers);
    const isStillSilent = (client: MonitoredClient) => silentSinceByClient.get(client) === client.silentSince;
    const isLost = (client: MonitoredClient) =>
      isStillSilent(client) && isExecuting.get(toHostKey(client))?.(client) === false;
    // Idle connections to the same host are closed as well: they use the same path and are cheap to replace.
    if ([...this.clients].some((client) => client.pendingQueries > 0 && isLost(client))) this.closeAll(isLost);
    this.closeAll(
      (client) => client.pendingQueries > 0 && isStillSilent(client) && isWaitingForUnreachableServer(client),
    );
  }

  /**
   * Asks the server of some clients which connections are executing a statement. If the server cannot be reached, no
   * connection counts as executing; if its answer does not identify the connections, all of them do.
   */
  private async probeServer(clients: readonly DetectableClient[]): Promise<(client: DetectableClient) => boolean> {
    const { host, port } = clients[0]!;
    const probeClient = new this.Client({ ...(this.options as object), at: { host, port } });
    probeClient.on('error', () => undefined);
    const timer = setTimeout(() => probeClient.connection.stream.destroy(), PROBE_TIMEOUT_MS);
    try {
      await probeClient.connect();
      await checkServers(clients, probeClient);
      const pids = await findActivePids(probeClient);
      // A connection pooler reports its own process IDs, which are not those of the server.
      return pids.has(probeClient.processID) ? ({ processID }) => pids.has(processID) : () => true;
    } catch (error) {
      // An error sent by the server, such as "too many connections", shows that the server is reachable.
      const isAnswer = error instanceof Error && 'severity' in error;
      return () => isAnswer;
    } finally {
      clearTimeout(timer);
      void Promise.resolve(probeClient.end()).catch(() => undefined);
    }
  }

  private closeAll(isLost: (client: MonitoredClient) => boolean): void {
    for (const client of this.clients) if (isLost(client)) client.connection.stream.destroy();
  }
}

const isCallback = (value: unknown): value is (...results: unknown[]) => void => typeof value === 'function';
const silenceMs = ({ silentSince }: MonitoredClient) => performance.now() - silentSince;
const toHostKey = ({ host, port }: MonitoredClient) => `${host}:${port}`;
const isSuspect = (client: MonitoredClient) => client.pendingQueries > 0 && silenceMs(client) > SUSPECT_AFTER_MS;

/** Whether the client waits for a server of a distributed database that does not answer. */
function isWaitingForUnreachableServer({ serverUse }: DetectableClient): boolean {
  return serverUse !== undefined && isForUnreachableServer(serverUse);
}

/** Checks which servers of the database do not answer if the database is distributed. */
async function checkServers(clients: readonly DetectableClient[], probeClient: DetectableClient): Promise<void> {
  const servers = clients.find(({ serverUse }) => serverUse !== undefined)?.serverUse?.servers;
  await servers?.check(async (statement) => ((await probeClient.query(statement)) as pg.QueryResult<object>).rows);
}

/** Resets the role first, because only the login role may see the state of the service's connections. */
async function findActivePids(client: DetectableClient): Promise<Set<number | null>> {
  await client.query('set role none');
  const statement = `select pid from pg_stat_activity where state = 'active' or state is null`;
  const { rows } = (await client.query(statement)) as pg.QueryResult<{ pid: number }>;
  return new Set(rows.map(({ pid }) => pid));
}
