import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

/** The properties of a connection pool (`pg.Pool`) that the gauges report. */
export type ConnectionPool = { totalCount: number; idleCount: number; waitingCount: number; options: { max: number } };

type PoolSource = () => ConnectionPool | undefined | Promise<ConnectionPool>;

/**
 * Counts what waits for a connection that is in use. `pg.Pool` queues each caller for a moment even if a connection is
 * idle, such as the query of the scrape itself.
 */
function countWaiters({ waitingCount, idleCount }: ConnectionPool): number {
  return Math.max(0, waitingCount - idleCount);
}

/** Gauges for the connection pools of this instance. */
@Injectable()
export class PoolMetrics {
  private readonly pools = new Map<string, PoolSource>();
  private readonly connections: Gauge;
  private readonly limit: Gauge;
  private readonly waiting: Gauge;

  constructor(private readonly registry: Registry) {
    this.connections = this.gauge(
      'connections',
      'Open connections to the database.',
      ['pool', 'state'],
      (pool, name) => {
        this.connections.set({ pool: name, state: 'in_use' }, pool.totalCount - pool.idleCount);
        this.connections.set({ pool: name, state: 'idle' }, pool.idleCount);
      },
    );
    this.limit = this.gauge('max_connections', 'Connections that a pool opens at most.', ['pool'], (pool, name) =>
      this.limit.set({ pool: name }, pool.options.max),
    );
    this.waiting = this.gauge('waiting', 'Requests and jobs that wait for a free connection.', ['pool'], (pool, name) =>
      this.waiting.set({ pool: name }, countWaiters(pool)),
    );
  }

  /** @param pool called at each scrape; returns undefined if there is no pool, as with the embedded database */
  register(name: string, pool: PoolSource): void {
    this.pools.set(name, pool);
  }

  private gauge(name: string, help: string, labelNames: string[], set: (pool: ConnectionPool, name: string) => void) {
    const collect = async () => {
      for (const [poolName, pool] of this.pools) {
        const current = await pool();
        if (current !== undefined) set(current, poolName);
      }
    };
    return new Gauge({
      name: `scheduling_database_pool_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect,
    });
  }
}
