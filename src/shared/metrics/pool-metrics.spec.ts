import { EventEmitter } from 'node:events';
import pg from 'pg';
import { Registry } from 'prom-client';
import { PoolMetrics } from './pool-metrics.js';

/** A connection without a server, with what `pg.Pool` uses of it. */
class Connection extends EventEmitter {
  readonly _queryable = true;
  connect(onConnected: (error?: Error) => void): void {
    onConnected();
  }
  end(onEnd?: () => void): void {
    onEnd?.();
  }
}

let pool: pg.Pool;
let registry: Registry;
beforeEach(async () => {
  pool = new pg.Pool({ max: 2, Client: Connection as never });
  registry = new Registry();
  new PoolMetrics(registry).register('service', () => pool);
  (await pool.connect()).release();
});
afterEach(() => pool.end());

async function readWaiting(): Promise<number> {
  const { values } = await registry.getSingleMetric('scheduling_database_pool_waiting')!.get();
  return values[0]!.value;
}

it('counts no query that is about to get an idle connection, as that of a scrape is', async () => {
  const query = pool.connect();
  expect(pool.waitingCount).toBe(1);
  const waiting = readWaiting();
  (await query).release();
  expect(await waiting).toBe(0);
});

it('counts what waits while all connections are in use', async () => {
  const busy = [await pool.connect(), await pool.connect()];
  const queries = [pool.connect(), pool.connect(), pool.connect()];
  expect(await readWaiting()).toBe(3);
  for (const connection of busy) connection.release();
  for (const query of queries) (await query).release();
});
