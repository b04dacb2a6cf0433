import type pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { SESSION_TIMEOUTS, type Pool } from './connection-pool.js';

/*
 * A connection may be half-open: the server, or something on the way to it, has gone without a word, and who waits for
 * an answer would wait until their own time is over. So after a short silence the server is asked, over a new
 * connection, at which statements it is at work. What it does not name, or everything where it does not answer either,
 * is given up: who waits gets an error, and the pool a new connection.
 */

/** After which silence the server is asked, in milliseconds … */
const SUSPECT_AFTER_MS = 2_000;
/** … how long it has to answer, and any new connection to come about … */
const PROBE_TIMEOUT_MS = 2_500;
/** … how long an answer may still be on its way … */
const GRACE_MS = 250;
/** … and how often is looked for silence. */
const CHECK_INTERVAL_MS = 500;
/** Later than PostgreSQL itself would have ended the statement: nobody is there, whatever is said. */
const MAX_SILENCE_MS = SESSION_TIMEOUTS.statement_timeout + 2_000;

type Connection = { on(event: string, listener: () => void): void; stream: { destroy(): void } };
export type Client = Omit<pg.Client, 'connect' | 'query'> & {
  connection: Connection;
  host: string;
  port: number;
  processID: number | null;
  connect(callback?: (error: Error | null) => void): unknown;
  query(...statement: unknown[]): unknown;
};
export type ClientClass = new (options?: unknown) => Client;

/** What a connection waits for: so many answers, and since when nothing was heard of it (`performance.now()`). */
type MonitoredClient = Client & { pendingQueries: number; silentSince: number };

/** Gives up the connections of a pool that are lost without a word. */
export function closeHalfOpenConnections(pool: Pool): void {
  pool.Client = withHalfOpenDetection(pool.Client as never, MAX_SILENCE_MS) as never;
}

/**
 * A class of clients that are given up when they are lost without a word.
 *
 * @param longest after which silence also one is given up that the server says it is at work for, in milliseconds
 */
export function withHalfOpenDetection(Client: ClientClass, longest = Number.POSITIVE_INFINITY): ClientClass {
  const watch = new HalfOpenDetector(Client, longest);
  return class extends Client implements MonitoredClient {
    pendingQueries = 0;
    silentSince = performance.now();

    constructor(options?: unknown) {
      super(options);
      this.connection.on('readyForQuery', () => (this.silentSince = performance.now()));
      this.once('end', () => watch.remove(this));
      watch.add(this, options);
    }

    override connect(callback?: (error: Error | null) => void): unknown {
      const overdue = setTimeout(() => this.connection.stream.destroy(), PROBE_TIMEOUT_MS);
      this.connection.on('readyForQuery', () => clearTimeout(overdue));
      this.once('end', () => clearTimeout(overdue));
      return super.connect(callback);
    }

    override query(...statement: unknown[]): unknown {
      if (this.pendingQueries === 0) this.silentSince = performance.now();
      this.pendingQueries += 1;
      const settle = () => void (this.pendingQueries -= 1);
      const callback = statement.at(-1);
      if (isCallback(callback)) {
        return super.query(...statement.slice(0, -1), (...answer: unknown[]) => {
          settle();
          callback(...answer);
        });
      }
      const result = super.query(...statement);
      if (result instanceof Promise) result.then(settle, settle);
      else settle();
      return result;
    }
  };
}

/** Looks after all connections of one class. */
class HalfOpenDetector {
  private readonly clients = new Set<MonitoredClient>();
  private options: unknown;
  private timer: NodeJS.Timeout | undefined;
  private isProbing = false;

  constructor(
    private readonly Client: ClientClass,
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
    const quiet = new Map(
      [...this.clients].filter((client) => silenceMs(client) > SUSPECT_AFTER_MS).map((c) => [c, c.silentSince]),
    );
    const hosts = Map.groupBy([...this.clients].filter(isSuspect), toHostKey);
    const answers = await Promise.all(
      [...hosts].map(async ([host, [client]]) => [host, await this.probeServer(client!)] as const),
    );
    await delay(GRACE_MS);
    const isWorkedFor = new Map(answers);
    const isLost = (client: MonitoredClient) =>
      quiet.get(client) === client.silentSince && isWorkedFor.get(toHostKey(client))?.(client) === false;
    // Whoever has long been idle goes with those that are lost: it was on the same way, and costs little to replace.
    if ([...this.clients].some((client) => client.pendingQueries > 0 && isLost(client))) this.closeAll(isLost);
  }

  /**
   * For which connections the server of one of them is at work: for none where it cannot be reached, for all where that
   * cannot be told.
   */
  private async probeServer({ host, port }: Client): Promise<(client: Client) => boolean> {
    const asking = new this.Client({ ...(this.options as object), at: { host, port } });
    asking.on('error', () => undefined);
    const overdue = setTimeout(() => asking.connection.stream.destroy(), PROBE_TIMEOUT_MS);
    try {
      await asking.connect();
      const pids = await findActivePids(asking);
      // A pooler in between has numbers of its own.
      return pids.has(asking.processID) ? ({ processID }) => pids.has(processID) : () => true;
    } catch (error) {
      // The server's own words, such as that it has too many connections.
      const isAnswer = error instanceof Error && 'severity' in error;
      return () => isAnswer;
    } finally {
      clearTimeout(overdue);
      void Promise.resolve(asking.end()).catch(() => undefined);
    }
  }

  private closeAll(isLost: (client: MonitoredClient) => boolean): void {
    for (const client of this.clients) if (isLost(client)) client.connection.stream.destroy();
  }
}

const isCallback = (value: unknown): value is (...answer: unknown[]) => void => typeof value === 'function';
const silenceMs = ({ silentSince }: MonitoredClient) => performance.now() - silentSince;
const toHostKey = ({ host, port }: MonitoredClient) => `${host}:${port}`;
const isSuspect = (client: MonitoredClient) => client.pendingQueries > 0 && silenceMs(client) > SUSPECT_AFTER_MS;

/** The state of a session is hidden from the roles that the service takes on, but not from who has logged in. */
async function findActivePids(client: Client): Promise<Set<number | null>> {
  await client.query('set role none');
  const statement = `select pid from pg_stat_activity where state = 'active' or state is null`;
  const { rows } = (await client.query(statement)) as pg.QueryResult<{ pid: number }>;
  return new Set(rows.map(({ pid }) => pid));
}
