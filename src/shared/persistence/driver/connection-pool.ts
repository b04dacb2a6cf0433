/*
 * Limits for the connections of the service. PostgreSQL ends a statement, a lock wait or a transaction that takes too
 * long, and the request is answered with 503. half-open-connections.ts handles a server that does not answer at all.
 */

/** Settings of the connections of requests, in milliseconds. Migrations have no limit. */
export const SESSION_TIMEOUTS = {
  statement_timeout: 15_000,
  lock_timeout: 8_000,
  idle_in_transaction_session_timeout: 30_000,
} as const;

/** Keeps idle connections open through firewalls and NAT, and detects those whose peer has gone. */
export const TCP_KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 60_000 } as const;

/** Timeout for a free connection of the pool, in milliseconds. Then the request is answered with 503. */
export const CONNECTION_TIMEOUT_MS = 5_000;

/** Age at which a connection is replaced, in seconds. Its prepared statements end with it. */
export const CONNECTION_LIFETIME_S = 3_600;

/** The property of pg's pool that is replaced here. */
export type Pool = { Client: new () => PooledClient };
export type PooledClient = {
  query(...statement: unknown[]): unknown;
  release: (destroy?: unknown) => void;
};

/** Kysely begins a transaction that has an isolation level with `start transaction`. */
const TRANSACTION_BOUNDARY = /^(begin|start transaction|rollback)\b/;

/**
 * Releases the connection of a transaction whose BEGIN or ROLLBACK fails because the connection is lost. Kysely does not
 * release it (https://github.com/kysely-org/kysely/issues/1990), so that the pool would run out of connections.
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
