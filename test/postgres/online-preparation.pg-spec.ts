import { MikroORM } from '@mikro-orm/core';
import { sql } from 'kysely';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { ormOptions } from '../../mikro-orm.config.js';
import { migrations } from '../../src/migrations/index.js';
import { ONLINE_PREPARATIONS } from '../../src/migrations/online-preparations.js';
import { createPreparedIndex } from '../../src/migrations/prepared-index.js';
import { migrateUp, prepareOnline, type OnlinePreparation } from '../../src/shared/persistence/index.js';
import { TestApp, waitFor, type ClinicFixture } from '../support/app/test-app.js';
import { describeSchema } from '../support/database/schema-catalog.js';

/*
 * An upgrade of large tables: `npm run migrate` builds indexes and sets columns before the migrations run, while
 * requests write. The migrations then find everything prepared, and do it themselves if it was not.
 */

const ROWS = 5_000;
const CHANNEL = 'migration-20261124200100-reminder-channel';
const INDEXES = ONLINE_PREPARATIONS.flatMap(({ indexes }) => indexes.map(({ name }) => name));

let app: TestApp;
let clinic: ClinicFixture;
let orm: MikroORM;
let client: pg.Client;
let before: string[];
const first = ONLINE_PREPARATIONS.map(({ usedBy }) => usedBy).toSorted()[0]!;
const names = migrations.map(({ name }) => name).filter((name) => name >= first);
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  orm = await MikroORM.init(await ormOptions(app.environment.database, 'owner'));
  const { database } = app.environment;
  client = new pg.Client({ connectionString: database.kind === 'postgresql' ? database.migrationUrl : '' });
  await client.connect();
  before = await describeSchema(client);
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30' };
  await app.call('POST', '/gateway/profile/caregiver/session', { token: clinic.careProviderToken, body });
  await app.queryRows(sql`
    insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status,
      story, created_at)
    select clinic_id, id, caregiver_id, 'CLIENT', client_id, '{"kind":"AROUND_START","offset":"-P1D"}', starts_at, starts_at,
      'WITHDRAWN', case when n % 2 = 0 then '[]' else '[{"what":"FAILED","channel":"LOG"},{"what":"SENT","channel":"EMAIL"}]'
      end::jsonb, now()
    from session, generate_series(1, ${ROWS}::int) n where clinic_id = ${clinic.clinicId}`);
});
afterAll(async () => {
  await client.end();
  await orm.close();
  await app.stop();
});
beforeEach(async () => {
  await orm.migrator.down({ migrations: names });
});

async function countChannels(): Promise<unknown> {
  const { rows } = await client.query<{ channel: string | null; count: number }>(
    `select channel, count(*)::int as count from reminder where status = 'WITHDRAWN' group by 1 order by 1`,
  );
  return rows;
}
const CHANNELS = [
  { channel: 'EMAIL', count: ROWS / 2 },
  { channel: null, count: ROWS / 2 },
];

const preparations: readonly OnlinePreparation[] = ONLINE_PREPARATIONS;
const onlyChannel = ONLINE_PREPARATIONS.filter(({ usedBy }) => usedBy === CHANNEL);

/** Holds a row with a channel in its history, as a request does, until the returned function is called. */
async function holdRow(): Promise<() => Promise<void>> {
  const { database } = app.environment;
  const writer = new pg.Client({ connectionString: database.kind === 'postgresql' ? database.migrationUrl : '' });
  await writer.connect();
  await writer.query(
    `begin; update reminder set reason = reason where id = (select max(id) from reminder where story <> '[]')`,
  );
  return async () => {
    await writer.query('commit');
    await writer.end();
  };
}

it('prepares large tables while requests hold rows, and the migrations change the catalog only', async () => {
  const release = await holdRow();
  const adding = prepareOnline(
    orm,
    preparations.map(({ catalogChanges = [], usedBy, table }) => ({ usedBy, table, catalogChanges, indexes: [] })),
  );
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await waitFor(async () => (await client.query(waiting)).rowCount === 1);
  await release();
  expect(await adding).toEqual([]);

  const releaseRow = await holdRow();
  // The columns are there, and changing the catalog once more would wait for the row.
  const rest = ONLINE_PREPARATIONS.map((one) => ({ ...one, catalogChanges: [] }));
  const preparing = prepareOnline(orm, rest);
  // All rows but the one that is held.
  await waitFor(async () => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from reminder where channel = 'EMAIL'`,
    );
    return rows[0]!.count === ROWS / 2 - 1;
  });
  await releaseRow();
  expect((await preparing).toSorted()).toEqual(['reminder', ...INDEXES].toSorted());
  expect(await countChannels()).toEqual(CHANNELS);
  expect(await prepareOnline(orm, ONLINE_PREPARATIONS)).toEqual([]);

  const names = INDEXES.filter((name) => !name.startsWith('audit'));
  const { rows: built } = await client.query<{ file: string }>(
    `select relfilenode as file from pg_class where relname = any ($1) order by 1`,
    [names],
  );
  // A migration renames an index that becomes a primary key, and keeps its file.
  const findKept = () =>
    client.query<{ file: string }>(
      `select relfilenode as file from pg_class where relfilenode = any ($1) and relkind = 'i' order by 1`,
      [built.map(({ file }) => file)],
    );
  const versions = async () => (await client.query(`select sum(xmin::text::bigint) as sum from reminder`)).rows;
  const rows = await versions();
  await migrateUp(orm, app.environment.database);
  expect(built).toHaveLength(names.length);
  expect([(await findKept()).rows, await versions()]).toEqual([built, rows]);
  expect(await describeSchema(client)).toEqual(before);
});

it('continues an interrupted preparation, or leaves the rest to the migrations', async () => {
  const interrupted = onlyChannel.map((one) => ({
    ...one,
    indexes: [],
    backfill: { set: 'no_column = 1', where: 'true' },
  }));
  await expect(prepareOnline(orm, interrupted)).rejects.toThrow('no_column');
  expect(await countChannels()).toEqual([{ channel: null, count: ROWS }]);
  await client.query('create index homework_book on homework (id)');
  await client.query(`update pg_index set indisvalid = false where indexrelid = 'homework_book'::regclass`);
  await migrateUp(orm, app.environment.database);
  expect(await countChannels()).toEqual(CHANNELS);
  expect(await describeSchema(client)).toEqual(before);
});

describe('waits for another build of the same index', () => {
  const index = { name: 'reminder_due_id', definition: '(due_at, id)' };
  const preparation = { usedBy: 'migration-later', table: 'reminder', indexes: [index] };
  /** Runs with the smallest pool that can be configured. */
  const prepare = async () => {
    const own = await MikroORM.init(await ormOptions({ ...app.environment.database, poolSize: 1 } as never, 'owner'));
    return prepareOnline(own, [preparation]).finally(() => own.close());
  };
  const isBuilding = () => client.query(`select from pg_stat_progress_create_index where relid = 'reminder'::regclass`);
  let release: () => Promise<void>;
  beforeEach(async () => {
    release = await holdRow();
  });
  afterEach(() => client.query(`drop index ${index.name}`));

  /** Prepares the index while the first build waits for a transaction, which ends after some time. */
  async function prepareDuring<Built>(first: Promise<Built>): Promise<[Built, string[]]> {
    await waitFor(async () => (await isBuilding()).rowCount === 1);
    const second = prepare();
    await setTimeout(1_000);
    await release();
    return Promise.all([first, second]);
  }

  it('by a command that runs at the same time', async () => {
    expect(await prepareDuring(prepare())).toEqual([[index.name], []]);
  });

  it('by a command that was killed, which the server completes', async () => {
    const { database } = app.environment;
    const server = new pg.Client({ connectionString: database.kind === 'postgresql' ? database.migrationUrl : '' });
    await server.connect();
    const building = server.query(`create index concurrently ${index.name} on reminder ${index.definition}`);
    expect((await prepareDuring(building))[1]).toEqual([]);
    await server.end();
  });
});

describe('an index of the partitioned audit trail', () => {
  const index = { name: 'audit_entry_operation', definition: '(clinic_id, operation)' };
  const partitionIndexes = async () => {
    const { rows } = await client.query<{ name: string; file: string; isAttached: boolean; isValid: boolean }>(`
      select pg_class.relname as name, relfilenode as file, relispartition as "isAttached", indisvalid as "isValid"
      from pg_index join pg_class on pg_class.oid = indexrelid
      where pg_class.relname like 'audit_entry_operation%' or pg_get_indexdef(indexrelid) like '% (clinic_id, operation)'
      order by 1`);
    return rows;
  };
  const prepare = () => prepareOnline(orm, [{ usedBy: 'migration-later', table: 'audit_entry', indexes: [index] }]);
  const migrate = async () => {
    for (const statement of createPreparedIndex('audit_entry', index)) await client.query(statement);
  };
  beforeEach(() => migrateUp(orm, app.environment.database));
  afterEach(async () => {
    await client.query('drop index audit_entry_operation');
    expect(await partitionIndexes()).toEqual([]);
  });

  it('is built in each partition before the migration, which attaches them', async () => {
    expect(await prepare()).toEqual(['audit_entry_operation']);
    const built = await partitionIndexes();
    expect(built.length).toBeGreaterThan(3);
    expect(await prepare()).toEqual([]);
    await migrate();
    expect((await partitionIndexes()).filter(({ name }) => name !== index.name)).toEqual(
      built.map((one) => ({ ...one, isAttached: true })),
    );
  });

  it('is valid after an interrupted preparation', async () => {
    await prepare();
    const interrupted = `'audit_entry_operation_default'::regclass`;
    await client.query(`update pg_index set indisvalid = false where indexrelid = ${interrupted}`);
    await migrate();
    const after = await partitionIndexes();
    expect(after.filter(({ isValid }) => !isValid)).toEqual([]);
    expect(after.filter(({ isAttached }) => !isAttached).map(({ name }) => name)).toEqual([index.name]);
  });
});

it('waits for a lock for a short time only, so that requests do not wait until a backup has ended', async () => {
  const { database } = app.environment;
  const backup = new pg.Client({ connectionString: database.kind === 'postgresql' ? database.migrationUrl : '' });
  await backup.connect();
  await backup.query('begin; lock table reminder in access share mode');
  const migrating = migrateUp(orm, database);
  try {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitFor(async () => (await client.query(waiting)).rowCount === 1);
    // A request that arrives now waits behind the migration.
    await client.query(`set statement_timeout = '5s'`);
    expect((await client.query('select from reminder limit 1')).rowCount).toBe(1);
  } finally {
    await client.query('reset statement_timeout');
    await backup.end();
  }
  expect(await migrating).toEqual(names);
  expect(await describeSchema(client)).toEqual(before);
});
