import { MikroORM } from '@mikro-orm/core';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { ormOptions } from '../../mikro-orm.config.js';
import { createApplication } from '../../src/app.setup.js';
import { migrations } from '../../src/migrations/index.js';
import { findLastBatch, migrateUp, PendingMigrationsError } from '../../src/shared/persistence/index.js';
import {
  COORDINATOR_TABLES,
  DISTRIBUTED_TABLES,
} from '../../src/shared/persistence/distribution/distributed-tables.js';
import { RELEASE } from '../../src/shared/config/release.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { describeSchema } from '../support/database/schema-catalog.js';
import { TEST_JWT_SECRET, testEnvironment, waitFor } from '../support/app/test-app.js';
import { nodeVariables } from '../support/process/node-variables.js';

let database: TestDatabase;
let client: pg.Client;
let url: string;
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  url = database.environment.kind === 'postgresql' ? database.environment.migrationUrl : '';
  client = new pg.Client({ connectionString: url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const environmentOf = (address: string) => ({
  ...nodeVariables(),
  DATABASE_URL: address,
  JWT_SECRET: TEST_JWT_SECRET,
});

/** Runs the command. The result lacks the first line of the output, which names the database. */
async function run(...words: string[]) {
  const { stdout, ...result } = await runCommandInProcess('migrate', words, {
    DATABASE_URL: url,
    JWT_SECRET: TEST_JWT_SECRET,
  });
  const { host, pathname } = new URL(url);
  return { ...result, stdout: stdout.replace(`database ${host}${pathname}\n`, '') };
}
const migrate = async (...words: string[]) => (await run(...words)).stdout;
const name = () => new URL(url).pathname.slice(1);

/** The names of the migrations that were added after release 0.1.0. */
const newer = migrations.map(({ name }) => name).filter((name) => name > 'migration-20261121210000-queued-reminders');
const downLines = (names: readonly string[]) => names.toReversed().map((name) => `down ${name}`);

/** Runs the command in a terminal, and types a line. */
function runOnTerminal(words: string, typed: string): string {
  const command = `${process.execPath} dist/src/cli/migrate.js ${words}`;
  const options = { env: environmentOf(url), encoding: 'utf8', input: `${typed}\n` } as const;
  return spawnSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], options).stdout;
}
/** Whether the command `script` of util-linux is installed, which provides a terminal. */
const hasTerminal = spawnSync('script', ['--version']).error === undefined;

it('rolls back the migrations of the last run, and migrates up again to the same schema', async () => {
  const orm = await MikroORM.init(await ormOptions(database.environment, 'owner'));
  try {
    const before = await describeSchema(client);
    expect(before.length).toBeGreaterThan(200);
    const all = migrations.map(({ name }) => name);
    expect(await findLastBatch(orm)).toEqual({ release: RELEASE, names: all });
    await orm.migrator.down({ migrations: [...newer] });
    expect(await migrateUp(orm, database.environment)).toEqual(newer);
    expect(await findLastBatch(orm)).toEqual({ release: RELEASE, names: newer });
    const destroyed = await migrate('down', '--destroy-data', '--confirm', name());
    expect(destroyed.split('\n').slice(0, -2)).toEqual(downLines(newer));
    expect((await describeSchema(client)).length).toBeGreaterThan(200);
    expect(await migrate('down', '--destroy-data', '--confirm', name())).toMatch(/^down migration-20261121/);
    expect([await describeSchema(client), await findLastBatch(orm)]).toEqual([[], { release: null, names: [] }]);
    expect(await migrate()).toMatch(/up migration-20261121000000-initial/);
    expect(await describeSchema(client)).toEqual(before);
    expect(await migrate()).toBe('0 migration(s) done\n');
    expect(await findLastBatch(orm)).toEqual({ release: RELEASE, names: all });
  } finally {
    await orm.close();
  }
});

it('migrates as an owner whose name must be quoted', async () => {
  const [owner, empty] = [`Care-"Owner`, `${name()}_quoted_owner`];
  const role = client.escapeIdentifier(owner);
  await client.query(`create role ${role} superuser login password 'owner'`);
  await client.query(`create database ${empty} owner ${role}`);
  const address = Object.assign(new URL(url), { username: owner, password: 'owner', pathname: empty }).href;
  try {
    const result = await runCommandInProcess('migrate', [], { DATABASE_URL: address, JWT_SECRET: TEST_JWT_SECRET });
    expect([result.stderr, result.stdout]).toEqual(['', expect.stringMatching(/[1-9]\d* migration\(s\) done\n$/)]);
    const quoted = new pg.Client({ connectionString: address });
    await quoted.connect();
    const policies = await quoted.query(`select from pg_policies where tablename = 'audit_entry' and $1 = any(roles)`, [
      owner,
    ]);
    await quoted.end();
    expect(policies.rowCount).toBe(1);
  } finally {
    await client.query(`drop database ${empty} with (force)`);
    await client.query(`drop role ${role}`);
  }
});

it('separates the runs of a release that recorded no batches by their time', async () => {
  await client.query('alter table schema_migration drop column batch, drop column release');
  await client.query(
    `update schema_migration set executed_at = executed_at - interval '1 day' where name <> all ($1)`,
    [newer],
  );
  const orm = await MikroORM.init(await ormOptions(database.environment, 'owner'));
  try {
    expect(await findLastBatch(orm)).toEqual({ release: null, names: newer });
  } finally {
    await orm.close();
  }
});

(hasTerminal ? it : it.skip)('asks on a terminal for the name of the database', async () => {
  const before = await describeSchema(client);
  const refused = runOnTerminal('down --destroy-data', 'other');
  expect(refused).toMatch(/of an older release\. Type care_\w+ to destroy their data: /);
  expect(refused).toMatch(/Confirm with the name of the database: --confirm care_\w+/);
  expect(await describeSchema(client)).toEqual(before);
  const done = runOnTerminal('down --destroy-data', name());
  expect(done.split('\r\n').filter((line) => line.startsWith('down '))).toEqual(downLines(newer));
  await migrate();
  expect(await describeSchema(client)).toEqual(before);
});

it('rolls back without confirmation if no data would be lost, and writes an audit entry', async () => {
  const entries = async () => {
    const { rows } = await client.query("select operation from audit_entry where operation = 'command migrate down'");
    return rows.length;
  };
  const before = [await describeSchema(client), await entries()];
  expect(await run('down')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^down migration-/) });
  expect(await entries()).toBe((before[1] as number) + 1);
  await migrate();
  expect(await describeSchema(client)).toEqual(before[0]);
});

describe('does not roll back', () => {
  const refused = async (words: string[], error: RegExp) => {
    const before = await describeSchema(client);
    const entries = () => client.query('select id from audit_entry').then(({ rowCount }) => rowCount);
    const entriesBefore = await entries();
    expect(await run(...words)).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(error) });
    expect(await describeSchema(client)).toEqual(before);
    expect(await entries()).toBe(entriesBefore);
  };

  it('if rows would be lost', async () => {
    await client.query(`
      insert into audit_pending_command (request_id, at, actor_subject, access, operation, records, address)
        values (gen_random_uuid(), now(), 's', 'WRITE', 'o', '{}', '')`);
    await refused(['down'], /^These tables have rows that would be lost: .*audit_pending_command.*--destroy-data.*\n$/);
    await client.query('delete from audit_pending_command');
  });

  it('with --destroy-data without the name of the database', async () => {
    await refused(['down', '--destroy-data'], /^Confirm with the name of the database: --confirm care_\w+\n$/);
    await refused(['down', '--destroy-data', '--confirm', 'other'], /^Confirm with/);
  });

  it('while an instance serves', async () => {
    await client.query(`
      insert into instance values (gen_random_uuid(), '0', 0, '0', now(), now())`);
    await refused(
      ['down', '--destroy-data', '--confirm', name()],
      /^1 instance\(s\) use this database: stop them first.\n$/,
    );
    await client.query('delete from instance');
  });

  it('with an unknown argument or option', async () => {
    await refused(['dwon'], /^Unknown argument "dwon". See --help.\n$/);
    await refused(['down', '--force'], /^Unknown option '--force'. See --help.\n$/);
    await refused(['--destroy-data'], /need "down"/);
  });
});

it.each(['audit-verify', 'backup', 'explain-token', 'migrate', 'openapi', 'restore', 'token', 'verify-restore'])(
  '%s --help',
  async (command) => {
    const { status, stdout, stderr } = await runCommandInProcess(command, ['--help'], {});
    expect([status, stdout, stderr]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^npm run (--silent )?${command}`)),
      '',
    ]);
  },
);

it.each(['explain-token', 'openapi'])('%s names an unknown option in one line', async (command) => {
  const { stdout, stderr } = await runCommandInProcess(command, ['--bogus'], {});
  expect([stdout, stderr]).toEqual(['', "Unknown option '--bogus'. See --help.\n"]);
});

it.each([
  ['distribute', ['--undo', '--shards', '8'], '--undo and --shards exclude each other. See --help.'],
  [
    'import-clinic',
    ['--clinic', '1', '--identity', 'key', '--input', 'moved'],
    '--clinic needs --open or --discard. See --help.',
  ],
])('%s refuses an option that it would ignore: %j', async (command, words, message) => {
  expect(await runCommandInProcess(command, words, {})).toEqual({ status: 1, stdout: '', stderr: `${message}\n` });
});

describe('an incomplete queue', () => {
  let half: string;
  let there: pg.Client;
  const urlOf = (base: string) => Object.assign(new URL(base), { pathname: `/${half}` }).href;
  const start = (migrateOnStart: boolean) => {
    const given = database.environment as Extract<TestDatabase['environment'], { kind: 'postgresql' }>;
    const own = { ...given, url: urlOf(given.url), migrationUrl: urlOf(url), migrateOnStart };
    return createApplication({ ...testEnvironment, database: own });
  };

  beforeAll(async () => {
    half = `${name()}_half`;
    await client.query(`create database ${half}`);
    there = new pg.Client({ connectionString: urlOf(url) });
    await there.connect();
  });
  afterAll(async () => {
    await there.end();
    await client.query(`drop database ${half} with (force)`);
  });

  it('after a migration that was killed before the grants: is reported at start, and completed if the service may migrate', async () => {
    // The first GRANT after the creation of the queue's tables waits for this lock.
    await there.query(`
      create function hold() returns event_trigger language plpgsql as $$
        begin if to_regclass('pgboss.job') is not null then perform pg_advisory_lock(1); end if; end $$;
      create event trigger hold on ddl_command_start when tag in ('GRANT') execute function hold()`);
    await there.query('select pg_advisory_lock(1)');
    const killed = spawn(process.execPath, ['dist/src/cli/migrate.js'], { env: environmentOf(urlOf(url)) });
    const ended = once(killed, 'exit');
    const waiting = `from pg_stat_activity where datname = '${half}' and wait_event_type = 'Lock'`;
    await waitFor(async () => (await client.query(`select ${waiting}`)).rowCount === 1);
    killed.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    // Simulates what happens when the server finds that the client is gone.
    await client.query(`select pg_terminate_backend(pid) ${waiting}`);
    await there.query('drop event trigger hold; drop function hold');
    expect((await describeSchema(there)).length).toBeGreaterThan(200);

    await expect(start(false)).rejects.toThrow(PendingMigrationsError);
    const app = await start(true);
    try {
      await app.listen({ port: 0, host: '127.0.0.1' });
      expect((await fetch(`${await app.getUrl()}/health/ready`)).status).toBe(200);
    } finally {
      await app.close();
    }
  });

  it('without the queue of a channel: is reported at start, and completed if the service may migrate', async () => {
    await there.query(`delete from pgboss.queue where name = 'reminder-email'`);
    await expect(start(false)).rejects.toThrow(PendingMigrationsError);
    await (await start(true)).close();
    await (await start(false)).close();
  });
});

it('every migration can be rolled back to the schema before it', async () => {
  const orm = await MikroORM.init(await ormOptions(database.environment, 'owner'));
  const names = migrations.map(({ name }) => name);
  try {
    const after = new Map<string | undefined, string[]>([[undefined, []]]);
    await orm.migrator.down({ to: 0 });
    for (const name of names) {
      await orm.migrator.up({ to: name });
      after.set(name, await describeSchema(client));
    }
    for (const [index, name] of names.entries().toArray().toReversed()) {
      await orm.migrator.down({ migrations: [name] });
      expect([name, await describeSchema(client)]).toEqual([name, after.get(names[index - 1])]);
    }
    await orm.migrator.up();
    expect(await describeSchema(client)).toEqual(after.get(names.at(-1)));
  } finally {
    await orm.close();
  }
});

/** Columns that only instances of the previous release use, which run next to this release during an upgrade. */
const OF_THE_RELEASE_BEFORE = ['session.remind_days YES'];
/** Columns that triggers and column defaults write. */
const OF_THE_DATABASE = [
  'administrator_access.caller NO',
  ...['book', 'care_provider', 'client', 'design_plan'].map((table) => `${table}.changed_in NO`),
  'reminder.traceparent YES',
  ...['revoked_token', 'revoked_token_holder'].map((table) => `${table}.changed_in NO`),
];
/** Columns of a work list that has no entity. */
const WITHOUT_ENTITY = [
  ...['created_at', 'id', 'is_only'].map((column) => `encryption_key_store.${column} NO`),
  ...['clinic_id NO', 'closed_at YES', 'confirmed_at YES', 'direction NO', 'move_id NO', 'secret NO'].map(
    (column) => `clinic_move.${column}`,
  ),
  'clinic_move.started_at NO',
  ...['number NO', 'replaced_at YES', 'set_at NO'].map((column) => `id_range.${column}`),
  ...['after_due YES', 'after_id NO', 'clinic_id NO', 'id NO', 'repeat_after YES', 'requested_at NO'].map(
    (column) => `reminder_replanning.${column}`,
  ),
  ...['care_provider_id', 'clinic_id', 'hidden_at', 'session_id'].map((column) => `hidden_session.${column} NO`),
  ...['client_id', 'clinic_id', 'homework_id', 'removed_at', 'series_id', 'version'].map(
    (column) => `removed_homework.${column} NO`,
  ),
  ...['caregiver_id', 'client_id', 'clinic_id', 'removed_at', 'series_id', 'series_version', 'session_id'].map(
    (column) => `removed_session.${column} NO`,
  ),
  ...['client_id', 'clinic_id', 'name', 'removed_at'].map((column) => `removed_record.${column} NO`),
  'removed_session.version NO',
  'removed_session.design_plan_id YES',
  // Only the functions for retiring audit entries read this column.
  'audit_seal.entry_count YES',
];

it('the columns of the schema are the properties of the entities, with the same nullability', async () => {
  const orm = await MikroORM.init(await ormOptions(database.environment, 'owner'));
  const expected = [...orm.getMetadata().getAll().values()].flatMap((entity) =>
    entity.props.map(
      (property) => `${entity.tableName}.${property.fieldNames[0]!} ${property.nullable ? 'YES' : 'NO'}`,
    ),
  );
  await orm.close();
  const { rows } = await client.query<{ line: string }>(`
    select table_name || '.' || column_name || ' ' || is_nullable as line
      from information_schema.columns
      where table_schema = 'public' and table_name <> 'schema_migration'
        and table_name not in (select relname from pg_class where relispartition)`);
  expect(rows.map((row) => row.line).toSorted()).toEqual(
    [...expected, ...OF_THE_RELEASE_BEFORE, ...OF_THE_DATABASE, ...WITHOUT_ENTITY].toSorted(),
  );
});

it('the database rejects a row that refers to another Clinic', async () => {
  await client.query(`
    insert into clinic (name, time_zone, active, created_at) values ('A', 'UTC', true, now()), ('B', 'UTC', true, now());
    insert into care_provider (clinic_id, name, active, created_at) values (1, 'P', true, now());
    insert into client (clinic_id, name, active, created_at) values (2, 'K', true, now())`);
  const assign = 'insert into client_assignment (clinic_id, client_id, care_provider_id, assigned_at) values';
  for (const clinicId of [1, 2]) {
    await expect(client.query(`${assign} (${clinicId}, 1, 1, now())`)).rejects.toMatchObject({ code: '23503' });
  }
});

it('the query for due reminders uses the partial index, with any number of future reminders', async () => {
  await client.query(`
    insert into client (clinic_id, name, active, created_at) values (1, 'K', true, now());
    insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
      values ('019abcde-0000-7000-8000-000000000000', 1, 1, 7, '[]', now());
    insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
        duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
      values (1, '019abcde-0000-7000-8000-000000000000', 1, 1, 2, 'T', '2027-01-01', '10:00', 'UTC',
        50, '2027-01-01T10:00Z', '2027-01-01T10:50Z', 'SCHEDULED', 1, now(), now());
    insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, story, status, created_at)
      select 1, 1, 1, 'CLIENT', 2, '{}', now() + n * interval '1 hour', now() + n * interval '1 hour', '[]', case when n % 10 = 0 then 'SENT' else 'PENDING' end, now()
      from generate_series(1, 50000) n;
    analyze reminder`);
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`
    explain select id from reminder where status = 'PENDING' and send_at <= now() order by send_at, id limit 500 for update skip locked`);
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan using reminder_due on reminder/);
});

describe('a series has the Care Provider and the remindDays of its Sessions', () => {
  const NAME = 'migration-20261123120001-series-rules';
  const ofSeries = async () =>
    (
      await client.query(
        'select caregiver_id::int, remind_days from session_series where clinic_id = 101 order by created_at',
      )
    ).rows;
  /** Inserts a series in the same way as the previous release. Its first Session belongs to a former Care Provider. */
  const writeSeries = (number: number) =>
    client.query(`
      begin;
      insert into session_series (id, clinic_id, interval_days, reminders, created_at)
        values ('019abcde-0000-7000-8000-00000000000${number}', 101, 7, '[]', now());
      insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
          duration_minutes, starts_at, ends_at, status, version, created_at, updated_at, remind_days)
        select 101, '019abcde-0000-7000-8000-00000000000${number}', n, case when n = 2 then 102 else 101 end, 101, 'T',
          '2027-01-01', '10:00', 'UTC', 50, '2027-01-01T10:00Z'::timestamptz + n * interval '7 days',
          '2027-01-01T10:50Z'::timestamptz + n * interval '7 days',
          case when n = 3 then 'CANCELLED' else 'SCHEDULED' end, 1, now(), now(), 5
        from generate_series(1, 3) n;
      commit`);

  it('after the migration, for a series that the previous release writes meanwhile, and after a rollback', async () => {
    const orm = await MikroORM.init(await ormOptions(database.environment, 'owner'));
    try {
      await client.query(`
        insert into clinic (id, name, time_zone, active, created_at) values (101, 'M', 'UTC', true, now());
        insert into care_provider (id, clinic_id, name, active, created_at)
          values (101, 101, 'P', true, now()), (102, 101, 'Q', true, now());
        insert into client (id, clinic_id, name, active, created_at) values (101, 101, 'K', true, now())`);
      await orm.migrator.down({ migrations: [NAME] });
      await writeSeries(1);
      await orm.migrator.up();
      await writeSeries(2);
      expect(await ofSeries()).toEqual([1, 2].map(() => ({ caregiver_id: 102, remind_days: 5 })));
      await client.query('update session_series set remind_days = 9 where clinic_id = 101');
      await orm.migrator.down({ migrations: [NAME] });
      const { rows } = await client.query('select distinct remind_days from session where clinic_id = 101');
      expect(rows).toEqual([{ remind_days: 9 }]);
      await orm.migrator.up();
    } finally {
      await client.query(`delete from session where clinic_id = 101; delete from removed_record where clinic_id = 101; delete from session_series where clinic_id = 101; delete from client where id > 100;
        delete from care_provider where id > 100; delete from clinic where id > 100`);
      await orm.close();
    }
  });
});

describe('a database with 100,000 reminders of an earlier release', () => {
  /** The last migration before those that the test runs on its rows. */
  const BEFORE = 'migration-20261121140000-calendar-link';
  const ROWS = 100_000;
  /** Time limit in seconds. The migrations take 5 s on two cores; the rest is for busy machines. */
  const ALL_TOGETHER = 60;

  it('is migrated within a minute, with all rows unchanged', async () => {
    const filled = await createTestDatabase('postgresql');
    const orm = await MikroORM.init(await ormOptions(filled.environment, 'owner'));
    const { migrationUrl: target } = filled.environment as { migrationUrl: string };
    const there = new pg.Client({ connectionString: target });
    await there.connect();
    try {
      const newer = migrations.map(({ name }) => name).filter((name) => name > BEFORE);
      for (const name of newer.toReversed()) await orm.migrator.down({ migrations: [name] });
      await there.query(rowsOf(ROWS));
      const content = async () =>
        (
          await there.query(`select md5(string_agg(concat_ws('|', id, clinic_id, session_id, recipient_kind, recipient_id,
          rule, due_at, status, created_at), ',' order by id)), count(*)::int as rows from reminder`)
        ).rows;
      const before = await content();
      expect(before).toEqual([expect.objectContaining({ rows: ROWS })]);
      const begun = performance.now();
      expect(await migrateUp(orm, filled.environment)).toEqual(newer);
      const seconds = (performance.now() - begun) / 1000;
      process.stdout.write(`${newer.length} migration(s) over ${ROWS} rows: ${seconds.toFixed(1)} s\n`);
      expect(seconds).toBeLessThan(ALL_TOGETHER);
      expect(await content()).toEqual(before);
    } finally {
      await there.end();
      await orm.close();
      await filled.drop();
    }
  });

  const rowsOf = (count: number) => `
    insert into clinic (name, time_zone, active, created_at) values ('A', 'UTC', true, now());
    insert into care_provider (clinic_id, name, active, created_at) values (1, 'P', true, now());
    insert into client (clinic_id, name, active, created_at) select 1, 'K ' || n, true, now() from generate_series(1, 1000) n;
    insert into session_series (id, clinic_id, interval_days, reminders, created_at)
      values ('019abcde-0000-7000-8000-000000000000', 1, 7, '[]', now());
    insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
        duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
      select 1, '019abcde-0000-7000-8000-000000000000', n, 1, n % 1000 + 1, 'T', '2027-01-01', '10:00', 'UTC',
        50, '2027-01-01T10:00Z', '2027-01-01T10:50Z', 'SCHEDULED', 1, now(), now()
      from generate_series(1, ${count} / 10) n;
    insert into reminder (clinic_id, session_id, recipient_kind, recipient_id, rule, due_at, status, created_at)
      select 1, n % (${count} / 10) + 1, 'CLIENT', n % 1000 + 1, '{}', now() + n * interval '1 minute',
        case when n % 10 = 0 then 'SENT' else 'PENDING' end, now()
      from generate_series(1, ${count}) n`;
});

it('knows of each table with rows of a Clinic whether it is distributed (npm run distribute)', async () => {
  const { rows } = await client.query<{ name: string }>(`
    select relname::text as name from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not relispartition
      and attname = 'clinic_id' and attnotnull and not attisdropped order by 1`);
  expect(rows.map(({ name }) => name)).toEqual([...DISTRIBUTED_TABLES, ...COORDINATOR_TABLES].sort());
});
