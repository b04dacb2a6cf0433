import { MikroORM } from '@mikro-orm/core';
import pg from 'pg';
import { ormOptions } from '../../mikro-orm.config.js';
import { parseDatabaseUrl } from '../../src/shared/config/database-address.js';
import { DatabaseDistribution, type Orm } from '../../src/shared/persistence/index.js';
import { TEST_JWT_SECRET, TestApp } from '../support/app/test-app.js';
import { createTestKeys, removeTestKeys, toKeyVariables } from '../support/app/test-keys.js';
import type { CitusCluster } from '../support/database/citus.js';
import { startMigratedCluster, toTestDatabase } from '../support/database/own-cluster.js';
import { queryRows } from '../support/database/query-rows.js';
import { runCommandInProcess } from '../support/process/cli-command.js';

/* The service and its commands after `npm run distribute` was interrupted, and the return to one server from there. */

const KEYS_AND_INDEXES = `
  select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where contype = 'f' and connamespace = 'public'::regnamespace
  union all select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`;

let cluster: CitusCluster;
let url: string;
let orm: Orm;
let client: pg.Client;
const keys = createTestKeys();
beforeAll(async () => {
  ({ cluster, url } = await startMigratedCluster());
  const { hosts } = parseDatabaseUrl(url);
  const database = { kind: 'postgresql', url, migrationUrl: url, hosts, poolSize: 2, migrateOnStart: false } as const;
  orm = (await MikroORM.init(await ormOptions(database as never, 'owner'))) as never;
  client = new pg.Client({ connectionString: url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await (orm as unknown as MikroORM).close();
  cluster.stop();
  removeTestKeys(keys);
});

/** Executes the steps up to one of them, as if the command was interrupted then. */
async function distributeUpTo(last: string, isUndo = false): Promise<void> {
  const distribution = new DatabaseDistribution(orm);
  for (const step of await distribution.findPendingSteps({ isUndo, shardCount: 4 })) {
    await distribution.run(step);
    if (step.description.startsWith(last)) return;
  }
  throw new Error(`There is no step "${last}"`);
}

const run = (command: string, ...words: string[]) =>
  runCommandInProcess(command, words, {
    DATABASE_URL: url,
    MIGRATION_DATABASE_URL: url,
    JWT_SECRET: TEST_JWT_SECRET,
    ...toKeyVariables(keys),
  });

/** The service would work without foreign keys, and would find no Clinic of a Care Provider. */
async function expectRefused(): Promise<void> {
  await expect(TestApp.startOn(toTestDatabase(url))).rejects.toThrow('The database is only partly distributed');
  const [newest] = await queryRows<{ name: string }>(
    url,
    'delete from schema_migration where id = (select max(id) from schema_migration) returning name',
  );
  expect(await run('migrate')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^The database is distributed/),
  });
  await queryRows(url, `insert into schema_migration (name) values ('${newest!.name}')`);
  expect(await run('migrate', 'down')).toMatchObject({ status: 1 });
  expect(await run('id-range', '--number', '3')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^The range of a distributed database cannot be set/),
  });
  expect(await run('encrypt-rows')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^The database is only partly distributed/),
  });
}

it.each(['remember the foreign keys', 'remove foreign keys', 'remove the index', 'copy clinic', 'distribute client'])(
  'refuses to use the database after the step "%s", from which it returns to one server',
  async (last) => {
    const { rows: before } = await client.query(KEYS_AND_INDEXES);
    await distributeUpTo(last);
    await expectRefused();
    expect(await run('distribute', '--undo')).toMatchObject({ status: 0, stderr: '' });
    expect((await client.query(KEYS_AND_INDEXES)).rows).toEqual(before);
  },
);

it.each(['remove the commit', 'move session to the coordinator', 'add the triggers'])(
  'refuses to use the database after the step "%s" of the return to one server',
  async (last) => {
    const { rows: before } = await client.query(KEYS_AND_INDEXES);
    expect(await run('distribute', '--shards', '4')).toMatchObject({ status: 0, stderr: '' });
    await distributeUpTo(last, true);
    await expectRefused();
    expect(await run('distribute', '--undo')).toMatchObject({ status: 0, stderr: '' });
    expect((await client.query(KEYS_AND_INDEXES)).rows).toEqual(before);
  },
);

it('uses a database that was returned to one server', async () => {
  const app = await TestApp.startOn(toTestDatabase(url));
  await app.nest.close();
});
