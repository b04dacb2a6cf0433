/*
 * What keeps one statement, one lock or one lost connection from keeping the service. PostgreSQL ends what takes too
 * long, and the request is answered with 503. Where PostgreSQL is not heard any more: silent-connections.ts.
 */

/** For the connections of requests, in milliseconds. Not for migrations, which take as long as they take. */
export const SESSION_TIMEOUTS = {
  statement_timeout: 15_000,
  lock_timeout: 8_000,
  idle_in_transaction_session_timeout: 30_000,
} as const;

/** Of connections that stay open while nobody asks: so that nothing in between takes them for forgotten, and the dead are noticed. */
export const TCP_KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 60_000 } as const;

/** How long a caller waits for a free connection before 503, in milliseconds. */
export const CONNECTION_TIMEOUT_MS = 5_000;

/** After which a connection is replaced, and the statements that it has prepared with it; in seconds. */
export const CONNECTION_LIFETIME_S = 3_600;

/** As much of the pool of `pg` as is needed here. */
export type Pool = { Client: new () => PooledClient };
export type PooledClient = {
  query(...statement: unknown[]): unknown;
  release: (destroy?: unknown) => void;
};

/** `start transaction` is how one begins that says its isolation level. */
const TRANSACTION_BOUNDARY = /^(begin|start transaction|rollback)\b/;

/**
 * A transaction that cannot begin or roll back, as its connection is lost, would keep its place in the pool for
 * ever (https://github.com/kysely-org/kysely/issues/1990): ten of them, and the service has none left.
 */
export function releaseStuckConnections(pool: Pool): void {
  pool.Client = class extends pool.Client {
    override query(...statement: unknown[]): unknown {
      const result = super.query(...statement);
      if (TRANSACTION_BOUNDARY.test(String(statement[0]))) {
        (result as Promise<unknown>).catch(() => this.release(true));
      }
      return result;
    }
  };
}
