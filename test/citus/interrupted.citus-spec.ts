import { MikroORM } from '@mikro-orm/core';
import pg from 'pg';
import { ormOptions } from '../../mikro-orm.config.js';
import { parseDatabaseUrl } from '../../src/shared/config/database-address.js';
import { DatabaseDistribution, type Orm } from '../../src/shared/persistence/index.js';
import { TEST_JWT_SECRET } from '../support/app/test-app.js';
import type { CitusCluster } from '../support/database/citus.js';
import { startMigratedCluster } from '../support/database/own-cluster.js';
import { runCommandInProcess } from '../support/process/cli-command.js';

/* `npm run distribute -- --undo` after `npm run distribute` was interrupted before it distributed a table. */

const KEYS_AND_INDEXES = `
  select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where contype = 'f' and connamespace = 'public'::regnamespace
  union all select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`;

let cluster: CitusCluster;
let url: string;
let orm: Orm;
let client: pg.Client;
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
});

it.each(['remember the foreign keys', 'remove foreign keys', 'remove the index'])(
  'restores the database after the step "%s"',
  async (last) => {
    const { rows: before } = await client.query(KEYS_AND_INDEXES);
    const distribution = new DatabaseDistribution(orm);
    for (const step of await distribution.findPendingSteps({ isUndo: false, shardCount: 4 })) {
      await distribution.run(step);
      if (step.description.startsWith(last)) break;
    }
    const variables = { DATABASE_URL: url, MIGRATION_DATABASE_URL: url, JWT_SECRET: TEST_JWT_SECRET };
    expect(await runCommandInProcess('distribute', ['--undo'], variables)).toMatchObject({ status: 0, stderr: '' });
    expect((await client.query(KEYS_AND_INDEXES)).rows).toEqual(before);
  },
);
