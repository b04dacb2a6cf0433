/*
 * Limits for the service's connections. PostgreSQL aborts statements, lock waits and idle transactions that take too
 * long, and the request is answered with 503. half-open-connections.ts handles servers that do not answer at all.
 */

/** Timeouts for the service's connections, in milliseconds. Migrations have no timeouts. */
export const SESSION_TIMEOUTS_MS = {
  statement_timeout: 15_000,
  lock_timeout: 8_000,
  idle_in_transaction_session_timeout: 30_000,
} as const;

/** Keeps idle connections open through firewalls and NAT, and detects connections whose peer is gone. */
export const TCP_KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 60_000 } as const;

/** How long a request waits for a free connection in the pool, in milliseconds, before it is answered with 503. */
export const CONNECTION_TIMEOUT_MS = 5_000;

/** Age at which a connection is replaced, in seconds. This also discards the connection's prepared statements. */
export const MAX_CONNECTION_AGE_S = 3_600;

/** The property of pg's pool that this file replaces. */
export type PoolWithClientClass = { Client: new () => PooledClient };
type PooledClient = {
  query(...statement: unknown[]): unknown;
  release: (destroy?: unknown) => void;
};

/** Kysely uses `start transaction` for transactions with an isolation level. A rollback to a savepoint is none. */
const TRANSACTION_BOUNDARY = /^(begin\b|start transaction\b|rollback$)/;

/**
 * Releases the connection of a transaction whose BEGIN or ROLLBACK fails because the connection is lost. Kysely does
 * not release it (https://github.com/kysely-org/kysely/issues/1990), so the pool would run out of connections.
 */
export function releaseStuckConnections(pool: PoolWithClientClass): void {
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
