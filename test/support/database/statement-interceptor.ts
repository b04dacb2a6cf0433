import { MikroORM } from '@mikro-orm/core';
import type { PGlite } from '@electric-sql/pglite';
import type { PgliteConnection } from '@mikro-orm/pglite';
import pg from 'pg';
import { Scheduler } from '../../../src/scheduler/index.js';
import type { TestApp } from '../app/test-app.js';

declare const TEST_DATABASE: 'embedded' | 'postgresql';

type Execute = (...parameters: unknown[]) => unknown;
type Tapped = { turn?: Promise<unknown>; isOpen?: boolean; lost?: Error | undefined };

/** Creates the error that PostgreSQL reports when an administrator terminates the connection. */
export const createConnectionLostError = () =>
  Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });

/**
 * Callbacks that run before and after each statement of the application, below the ORM and the query builder. If a
 * callback throws, the application gets that error instead of the result. BEGIN on the embedded database is not
 * intercepted, because PGlite sends it itself. `sent` runs when the application sends a statement to a PostgreSQL
 * server, also if an earlier statement is not answered yet.
 */
export type StatementInterceptor = Partial<
  Record<'sent' | 'before' | 'after', (statement: string, values: unknown) => unknown>
>;

/**
 * Whether a statement records that this instance serves requests, or discards old plans. Only the first request after a
 * pause sends it.
 */
const isSentAfterPause = (statement: string) => statement.includes('serving_at') || statement === 'discard plans';

/**
 * Intercepts the statements of the application until the returned function is called. The scheduler is stopped in the
 * meantime, because its statements would be counted or fail instead of those of a request. The queue is not stopped.
 */
export async function interceptStatements(app: Pick<TestApp, 'nest'>, tap: StatementInterceptor): Promise<() => void> {
  const scheduler = app.nest.get(Scheduler);
  await scheduler.stop();
  const untap = TEST_DATABASE === 'embedded' ? await tapEmbedded(app, tap) : tapPostgresql(tap);
  return () => {
    untap();
    scheduler.start();
  };
}

function tapPostgresql(tap: StatementInterceptor): () => void {
  const prototype = pg.Client.prototype as unknown as { query: Execute };
  const { query } = prototype;
  prototype.query = function (this: Tapped, ...parameters: unknown[]) {
    const { text, values } = toTextAndValues(parameters);
    if (!isSentAfterPause(text)) tap.sent?.(text, values);
    // The driver sends statements without waiting for earlier ones. Here, each waits for the previous one, so that the
    // interceptor sees them in order.
    const before = Promise.resolve(this.turn).catch(() => undefined);
    this.turn = before.then(() => tapped(this, query, tap, parameters));
    return this.turn;
  };
  return () => (prototype.query = query);
}

/**
 * Runs a statement with its interceptor. If the interceptor throws within a transaction, the later statements of the
 * transaction fail as well.
 */
async function tapped(
  client: Tapped,
  query: Execute,
  tap: StatementInterceptor,
  parameters: unknown[],
): Promise<unknown> {
  const { text: statement, values } = toTextAndValues(parameters);
  if (isSentAfterPause(statement)) return query.apply(client, parameters);
  if (statement === 'rollback') {
    // When a connection ends, the server itself rolls back.
    client.lost = undefined;
    client.isOpen = false;
    return query.apply(client, parameters);
  }
  if (client.lost !== undefined) throw client.lost;
  client.isOpen ||= /^(begin|start transaction)\b/.test(statement);
  const through = async (moment: 'before' | 'after') => {
    try {
      await tap[moment]?.(statement, values);
    } catch (error) {
      if (client.isOpen) client.lost = error as Error;
      throw error;
    }
  };
  await through('before');
  const result = await query.apply(client, parameters);
  if (statement === 'commit') client.isOpen = false;
  else await through('after');
  return result;
}

function toTextAndValues([statement, values]: unknown[]): { text: string; values: unknown } {
  return typeof statement === 'string' ? { text: statement, values } : (statement as { text: string; values: unknown });
}

async function tapEmbedded(app: Pick<TestApp, 'nest'>, tap: StatementInterceptor): Promise<() => void> {
  const connection = app.nest.get(MikroORM).em.getDriver().getConnection() as unknown as PgliteConnection;
  const database: PGlite = await connection.getNativeClient();
  const transaction = database.transaction.bind(database);
  database.transaction = (work) =>
    transaction(async (native) => {
      const query = native.query.bind(native) as Execute;
      const tapped = async (...parameters: unknown[]) => {
        await tap.before?.(String(parameters[0]), parameters[1]);
        const result = await query(...parameters);
        await tap.after?.(String(parameters[0]), parameters[1]);
        return result;
      };
      const result = await work(Object.assign(Object.create(native) as typeof native, { query: tapped }));
      await tap.before?.('commit', []);
      return result;
    });
  return () => (database.transaction = transaction);
}
