import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import {
  forkForActor,
  inSavepoint,
  sendTogether,
  toCompiledQuery,
  type TenantEntityManager,
} from '../../src/shared/persistence/index.js';
import { TestApp } from '../support/app/test-app.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';

/* Tests queries that share one round trip, on a PostgreSQL server. */

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

const em = () => forkForActor(app.nest.get(MikroORM).em, { role: 'MAINTENANCE' });
type Inner = Parameters<Parameters<ReturnType<typeof em>['transactional']>[0]>[0];

const select = (inner: Inner, value: number) => async () => {
  const { rows } = await sql<{ value: number }>`select ${value}::int as value`.execute(
    (inner as SqlEntityManager).getKysely(),
  );
  return rows[0]!.value;
};

/** Records when statements with parameters are sent and answered. */
async function recordStatements(work: () => Promise<unknown>): Promise<string[]> {
  const events: string[] = [];
  const record = (event: string) => (_text: string, values: unknown) => {
    if (Array.isArray(values) && values.length === 1) events.push(`${event} ${String(values[0])}`);
  };
  const untap = await interceptStatements(app, { sent: record('sent'), after: record('answered') });
  await work().finally(untap);
  return events;
}

it('sends all queries before the first is answered, in the given order', async () => {
  const events = await recordStatements(() =>
    em().transactional(async (inner) => {
      const slow = async () => {
        for (let turn = 0; turn < 5; turn += 1) await nextTurn();
        return select(inner, 1)();
      };
      expect(await sendTogether([slow, select(inner, 2), select(inner, 3)])).toEqual([1, 2, 3]);
    }),
  );
  expect(events).toEqual(['sent 1', 'sent 2', 'sent 3', 'answered 1', 'answered 2', 'answered 3']);
});

it('sends nested groups together, and further statements of a query when their predecessor is answered', async () => {
  const events = await recordStatements(() =>
    em().transactional(async (inner) => {
      const twice = async () => [await select(inner, 1)(), await select(inner, 4)()];
      const nested = () => sendTogether([twice, select(inner, 2)]);
      expect(await sendTogether([nested, select(inner, 3)])).toEqual([[[1, 4], 2], 3]);
    }),
  );
  expect(events.slice(0, 4)).toEqual([
    'sent 1',
    ...['sent 2', 'sent 3'].map(() => expect.stringMatching(/^sent [23]$/)),
    'answered 1',
  ]);
  expect(events.indexOf('sent 4')).toBeGreaterThan(events.indexOf('answered 1'));
});

it('sends queries in a savepoint together', async () => {
  const events = await recordStatements(() =>
    em().transactional((inner) =>
      inSavepoint(inner as unknown as TenantEntityManager, () => sendTogether([select(inner, 1), select(inner, 2)])),
    ),
  );
  expect(events.slice(0, 2)).toEqual(['sent 1', 'sent 2']);
});

it.each(['commit', 'rollback'] as const)('refuses statements after the %s of the transaction', async (end) => {
  const fork = em() as SqlEntityManager;
  await fork.begin();
  const transaction = fork.getKysely();
  await fork[end]();
  expect(() => transaction.executeQuery(toCompiledQuery('select 1', []))).toThrow(/^Transaction is already /);
  await expect((async () => sql`select 1`.execute(transaction))()).rejects.toThrow(/^Transaction is already /);
});

const failing = (inner: Inner) => () => sql`select 1 / ${0}::int`.execute((inner as SqlEntityManager).getKysely());

it('rejects with the first error, and rolls the transaction back', async () => {
  const transaction = em().transactional((inner) =>
    sendTogether([select(inner, 1), failing(inner), select(inner, 2), failing(inner)]),
  );
  await expect(transaction).rejects.toMatchObject({ code: '22012' });
  expect(await em().transactional((inner) => select(inner, 5)())).toBe(5);
});

it('rejects when all queries have ended, so that none goes on outside the transaction', async () => {
  let last: unknown;
  const goingOn = (inner: Inner) => async () => {
    await select(inner, 1)();
    await delay(50);
    last = await select(inner, 2)().catch((error: unknown) => error);
  };
  const transaction = em().transactional((inner) => sendTogether([goingOn(inner), failing(inner)]));
  await expect(transaction).rejects.toMatchObject({ code: '22012' });
  // In the failed transaction, PostgreSQL refuses further statements.
  expect(last).toMatchObject({ code: '25P02' });
});
