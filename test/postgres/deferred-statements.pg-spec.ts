import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import {
  awaitDeferred,
  executeDeferred,
  forkForActor,
  inSavepoint,
  type TenantEntityManager,
} from '../../src/shared/persistence/index.js';
import { TestApp } from '../support/app/test-app.js';
import { takeUnobservedFailures } from '../support/jest/unobserved-deferred-failures.js';

/* Tests deferred statements, which are sent together with the next statement. Their failures must not be lost. */

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

const FAILING = sql`select 1 / 0`;
const DIVISION_BY_ZERO = '22012';

const em = () => forkForActor(app.nest.get(MikroORM).em, { role: 'MAINTENANCE' });

it('rejects the next awaited statement', async () => {
  const transaction = em().transactional(async (inner) => {
    await executeDeferred(inner, FAILING);
    await expect(sql`select 1`.execute((inner as SqlEntityManager).getKysely())).rejects.toMatchObject({
      code: DIVISION_BY_ZERO,
    });
    throw new Error('rolled back');
  });
  await expect(transaction).rejects.toThrow('rolled back');
});

it('rejects COMMIT if no statement follows', async () => {
  const transaction = em().transactional((inner) => executeDeferred(inner, FAILING));
  await expect(transaction).rejects.toMatchObject({ code: DIVISION_BY_ZERO });
});

it('is published if the transaction is rolled back before an awaited statement, so that the test fails', async () => {
  const transaction = em().transactional(async (inner) => {
    await executeDeferred(inner, FAILING);
    throw new Error('rolled back');
  });
  await expect(transaction).rejects.toThrow();
  expect(takeUnobservedFailures()).toEqual([expect.objectContaining({ code: DIVISION_BY_ZERO })]);
});

it('is not published for a deferred statement that succeeds', async () => {
  const transaction = em().transactional(async (inner) => {
    await executeDeferred(inner, sql`select 1`);
    throw new Error('rolled back');
  });
  await expect(transaction).rejects.toThrow('rolled back');
  expect(takeUnobservedFailures()).toEqual([]);
});

it('is published if only a savepoint is rolled back, and the transaction continues', async () => {
  const found = await em().transactional(async (inner) => {
    const tenant = inner as unknown as TenantEntityManager;
    const savepoint = inSavepoint(tenant, async () => {
      await executeDeferred(tenant, FAILING);
      throw new Error('rolled back');
    });
    await expect(savepoint).rejects.toThrow('rolled back');
    return sql<{ value: number }>`select 1 as value`.execute((inner as SqlEntityManager).getKysely());
  });
  expect(found.rows).toEqual([{ value: 1 }]);
  expect(takeUnobservedFailures()).toEqual([expect.objectContaining({ code: DIVISION_BY_ZERO })]);
});

it('is reported by `awaitDeferred`', async () => {
  const transaction = em().transactional(async (inner) => {
    await executeDeferred(inner, sql`select 1`);
    await awaitDeferred(inner);
    await executeDeferred(inner, FAILING);
    await awaitDeferred(inner);
  });
  await expect(transaction).rejects.toMatchObject({ code: DIVISION_BY_ZERO });
});

it('requires a transaction, whose COMMIT reports the failure', async () => {
  await expect(executeDeferred(em(), sql`select 1`)).rejects.toThrow('A deferred statement requires a transaction.');
});
