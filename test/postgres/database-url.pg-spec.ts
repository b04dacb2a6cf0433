import { MikroORM } from '@mikro-orm/core';
import { ormOptions } from '../../mikro-orm.config.js';
import type { DatabaseEnvironment } from '../../src/shared/config/env.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';

/* Tests that the parameters in DATABASE_URL are applied to the connections of the pool. */

type PostgresqlEnvironment = Extract<DatabaseEnvironment, { kind: 'postgresql' }>;

let database: TestDatabase;
let environment: PostgresqlEnvironment;
beforeAll(async () => {
  database = await createTestDatabase();
  environment = database.environment as PostgresqlEnvironment;
});
afterAll(() => database.drop());

/** Returns the role and the application name of a connection of the service. */
async function identityOn(url: string, as: 'service' | 'owner' = 'service'): Promise<unknown> {
  const orm = await MikroORM.init(await ormOptions({ ...environment, url, migrationUrl: url, poolSize: 1 }, as));
  try {
    const statement = `select current_user as "user", current_setting('application_name') as name`;
    return await orm.em.fork().getConnection().execute(statement);
  } finally {
    await orm.close();
  }
}

it('apply to the connections', async () => {
  const url = `${environment.url}?application_name=care`;
  expect(await identityOn(url)).toEqual([{ user: 'scheduling_app', name: 'care' }]);
});

it('prevent a connection without TLS if they require TLS', async () => {
  for (const as of ['service', 'owner'] as const) {
    const answer = identityOn(`${environment.migrationUrl}?sslmode=verify-full`, as);
    await expect(answer).rejects.toThrow('The server does not support SSL connections');
  }
});

it('replace the privileges of another login with those of the service', async () => {
  expect(await identityOn(environment.migrationUrl)).toMatchObject([{ user: 'scheduling_app' }]);
  expect(await identityOn(environment.migrationUrl, 'owner')).toMatchObject([{ user: 'postgres' }]);
});
