import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { AuditSealer } from '../../src/audit/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { TEST_JWT_SECRET, TestApp } from '../support/app/test-app.js';
import { toKeyVariables } from '../support/app/test-keys.js';
import { nodeVariables } from '../support/process/node-variables.js';

/*
 * Tests backup and restore from one database into another. Each command runs once as a process, and otherwise within
 * the process of the test.
 */

const PLANS = '/gateway/profile/clinic/design-plan';
const SESSIONS = '/gateway/profile/caregiver/session';
/** Texts with characters that have a special meaning in the COPY format of PostgreSQL or in a shell. */
const AWKWARD = ['\t', '\\', '\\N', '\\.', '"; --', 'line\nbreak\r\n', 'Zoë 🧠', "it's", '${x}'];

let app: TestApp;
let source: string;
let directory: string;
beforeAll(async () => {
  app = await TestApp.start();
  source = urlOf({ environment: app.environment.database });
  directory = join(mkdtempSync(join(tmpdir(), 'backup-')), 'taken');
});
afterAll(async () => {
  rmSync(join(directory, '..'), { recursive: true });
  await app.stop();
});

function urlOf({ environment }: Pick<TestDatabase, 'environment'>): string {
  if (environment.kind !== 'postgresql') throw new Error('needs a server');
  return environment.migrationUrl;
}

type Outcome = { code: number | null; output: string };

type Command = 'backup' | 'restore' | 'verify-restore';

async function run(command: Command, url: string, ...words: string[]): Promise<Outcome> {
  const { status, stdout, stderr } = await runCommandInProcess(command, words, {
    DATABASE_URL: url,
    JWT_SECRET: TEST_JWT_SECRET,
  });
  return { code: status, output: withoutDatabase(stdout, url) + stderr };
}

/** Removes the first line of an output, which names the database. */
function withoutDatabase(output: string, url: string): string {
  if (url === '' || !output.startsWith('database ')) return output;
  const { host, pathname } = new URL(url);
  expect(output).toMatch(new RegExp(`^database ${host}${pathname}\n`));
  return output.slice(output.indexOf('\n') + 1);
}

/** Runs a command as a process. */
function runProcess(command: Command, url: string, ...words: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [`dist/src/cli/${command}.js`, ...words], {
    env: {
      ...nodeVariables(),
      DATABASE_URL: url,
      JWT_SECRET: TEST_JWT_SECRET,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output: withoutDatabase(output, url) })));
}

async function onDatabase<T extends object>(url: string, statement: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query<T>(statement, values);
    return result.rows;
  } finally {
    await client.end();
  }
}

/** Runs a test with an empty database of this release. */
async function withEmptyDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const database = await createTestDatabase('postgresql');
  try {
    // Deletes the row that the template contains, because the service has been started on it.
    await onDatabase(urlOf(database), 'delete from zone_data');
    await work(urlOf(database));
  } finally {
    await database.drop();
  }
}

/** Reads all rows except migrations and pending commands, with SQL that is independent of the tested code. */
async function rowsOf(url: string): Promise<Record<string, string[]>> {
  const tables = await onDatabase<{ name: string }>(
    url,
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_name not in ('schema_migration', 'audit_pending_command', 'instance') order by 1`,
  );
  const contents: Record<string, string[]> = {};
  for (const { name } of tables) {
    const rows = await onDatabase<{ row: string }>(url, `select t::text as row from "${name}" t order by 1`);
    contents[name] = rows.map(({ row }) => row);
  }
  return contents;
}

/** Creates rows in all tables. */
async function fill(): Promise<void> {
  const { clinicToken, careProviderToken, clientIds, ownBookId, clinicId } = await app.createClinic();
  for (const planName of AWKWARD.map((text) => `x${text}x`)) {
    const { status } = await app.call('POST', PLANS, {
      token: clinicToken,
      body: { planName, appointmentDesc: planName },
    });
    expect(status).toBe(201);
  }
  const planId = (await app.call('GET', `${PLANS}?limit=1`, { token: clinicToken })).body.items[0].id as number;
  const replaced = await app.call('PUT', `${PLANS}/${planId}`, {
    token: clinicToken,
    body: { planName: 'Replaced' },
    headers: { 'if-match': '"1"' },
  });
  expect(replaced.status).toBe(200);
  const body = { clientId: clientIds[0], title: 'T', date: '2027/03/21', time: '09:30', sessionCount: 5 };
  for (const extra of [{ bookIdList: [ownBookId] }, { remindDays: 30 }, { reminders: ['-P1D', '-PT2H'] }])
    expect((await app.call('POST', SESSIONS, { token: careProviderToken, body: { ...body, ...extra } })).status).toBe(
      201,
    );
  // Entries that are written after this remain unsealed, so the backup also contains unsealed entries.
  await app.nest.get(AuditSealer).seal();
  await app.call('POST', '/gateway/admin/revoked-token', {
    token: await app.createToken('ADMIN'),
    body: { jti: 'lost' },
    headers: { 'idempotency-key': 'a key of its own' },
  });
  await app.call('POST', '/gateway/admin/administrator-access', {
    token: await app.createToken('ADMIN'),
    body: { clinicId, reason: 'Support' },
  });
  await app.call('POST', '/gateway/profile/clinic/revoked-token-holder', {
    token: clinicToken,
    body: { record: `clinic/${clinicId}`, subject: 'user-9' },
  });
  await onDatabase(source, `insert into rate_limit_count (minute, digest, used) values (0, 'digest', 1)`);
  // Stops the jobs that would change rows between their reading and the backup: the first processes the request below,
  // the second replaces the token of each new preference.
  await app.nest.get(Scheduler).stop('reminder-replanning', 'opt-out-links-upkeep');
  await onDatabase(source, `insert into reminder_replanning (clinic_id, requested_at) values ($1, now())`, [clinicId]);
  await onDatabase(
    source,
    `insert into hidden_session (clinic_id, care_provider_id, session_id, hidden_at)
     select clinic_id, caregiver_id, id, now() from session limit 1`,
  );
  await onDatabase(
    source,
    `insert into removed_homework (homework_id, clinic_id, client_id, series_id, version, removed_at)
     select 0, clinic_id, client_id, series_id, 1, now() from session limit 1`,
  );
  await app.call('PUT', '/gateway/profile/clinic/retention', { token: clinicToken, body: { sessions: 'P12Y' } });
  await onDatabase(
    source,
    `insert into legal_hold (clinic_id, client_id, reason, set_at) values ($1, 1, 'LITIGATION', now())`,
    [clinicId],
  );
  await onDatabase(
    source,
    `insert into erasure (clinic_id, subject_kind, subject_id, reason, requested_at, confirmable_at, expires_at, counts,
       erased)
     values ($1, 'CLIENT', 1, 'SUBJECT_REQUEST', now(), now(), now(), '{}', '{}')`,
    [clinicId],
  );
  await onDatabase(
    source,
    `insert into removed_session (clinic_id, session_id, series_id, caregiver_id, client_id, version, series_version,
       removed_at)
     values ($1, 1000000, gen_random_uuid(), 1, 1, 1, 1, now())`,
    [clinicId],
  );
  await onDatabase(
    source,
    `insert into clinic (name, time_zone, active, created_at) values ('Moved', 'UTC', true, now());
     insert into clinic_move (clinic_id, direction, move_id, secret, started_at)
       select max(id), 'OUT', gen_random_uuid(), 's', now() from clinic`,
  );
  await onDatabase(source, 'insert into id_range (number, set_at) values (0, now())');
  await onDatabase(source, `insert into removed_record values ($1, 1, 'session/1000000', now())`, [clinicId]);
  await onDatabase(source, `insert into audit_retirement values (1000000, 1, 'hash', 1, now(), 1)`);
  for (const path of ['/gateway/profile/caregiver/calendar-link', '/gateway/profile/caregiver/reminder-preference'])
    await app.call(path.endsWith('link') ? 'POST' : 'PUT', path, { token: careProviderToken, body: {} });
  await onDatabase(
    source,
    `insert into client (clinic_id, name, email, active, created_at)
     select $1, 'Name ' || n, case when n % 3 = 0 then null else repeat('e', n % 50) end, n % 2 = 0, now()
     from generate_series(1, 20000) n`,
    [clinicId],
  );
}

it('names the database, without the account', async () => {
  const { stdout } = await runCommandInProcess('verify-restore', ['none'], {
    ...{ DATABASE_URL: 'postgres://app:secret@db/care', MIGRATION_DATABASE_URL: 'postgres://owner:secret@h1,h2/care' },
    JWT_SECRET: TEST_JWT_SECRET,
  });
  expect(stdout).toBe('database h1:5432,h2:5432/care\n');
});

describe('a backup during writes', () => {
  let before: Record<string, string[]>;
  /** ID of a Clinic that was created and deleted. It must not be assigned again. */
  let givenUp: number;
  beforeAll(async () => {
    await fill();
    const ids = await onDatabase<{ id: string }>(
      source,
      `select nextval('clinic_id_seq') as id from generate_series(1, 1000)`,
    );
    givenUp = Number(ids.at(-1)!.id);
    before = await rowsOf(source);
    const backup = runProcess('backup', source, directory);
    const meanwhile = { clinics: 0, over: false };
    void backup.finally(() => (meanwhile.over = true));
    for (; !meanwhile.over; meanwhile.clinics += 1) await app.createClinic();
    expect(await backup).toEqual({ code: 0, output: expect.stringMatching(/^\d+ tables, \d+ rows\n$/) });
    expect(meanwhile.clinics).toBeGreaterThan(2);
  });

  it('contains rows of all tables', () => {
    const empty = Object.keys(before).filter((name) => before[name]!.length === 0);
    // Only partitions for the months ahead may exist.
    expect(empty.filter((name) => !/^audit_entry_(\d+|default)$/.test(name))).toEqual([]);
  });

  it('can be read only by its owner', () => {
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(directory))
      expect([file, statSync(join(directory, file)).mode & 0o777]).toEqual([file, 0o600]);
  });

  it('does not overwrite a directory or file', async () => {
    const files = readdirSync(directory);
    expect(await run('backup', source, directory)).toEqual({
      code: 1,
      output: `${directory} cannot be created (EEXIST).\n`,
    });
    expect(readdirSync(directory)).toEqual(files);
  });

  it('is restored as a consistent snapshot, and the service continues with it', async () => {
    await withEmptyDatabase(async (url) => {
      await onDatabase(url, `insert into zone_data (version, started_at) values ('2020a', now())`);
      expect(await runProcess('restore', url, directory)).toEqual({
        code: 0,
        output: expect.stringMatching(/ rows are as they were at /),
      });
      const after = await rowsOf(url);
      for (const [table, rows] of Object.entries(before)) {
        const there = new Set(after[table]);
        expect([table, rows.filter((row) => !there.has(row))]).toEqual([table, []]);
      }
      // Each concurrent transaction creates a Clinic with two Care Providers, so the snapshot must contain all three
      // rows or none.
      const added = (table: string) => after[table]!.length - before[table]!.length;
      expect(added('care_provider')).toBe(added('clinic') * 2);
      const [given] = await onDatabase<{ id: string }>(
        url,
        `insert into clinic (name, time_zone, active, created_at) values ('New', 'UTC', true, now()) returning id`,
      );
      expect(Number(given!.id)).toBeGreaterThan(givenUp);
      // Without statistics, the server would plan the first statements as for almost empty tables.
      const unknown = `select relname from pg_class where relname in ('session', 'reminder', 'audit_entry') and reltuples < 0`;
      expect(await onDatabase(url, unknown)).toEqual([]);
      const instance = await ServiceProcess.start({ DATABASE_URL: url, ...toKeyVariables(app.environment.encryption) });
      await instance.stop();
    });
  });

  it('differs from a changed database, with one line for each difference', async () => {
    await withEmptyDatabase(async (url) => {
      const restored = { code: 0, output: expect.stringMatching(/^\d+ tables with \d+ rows are as they were at /) };
      expect(await run('restore', url, directory)).toEqual(restored);
      expect(await runProcess('verify-restore', url, directory)).toEqual(restored);
      await onDatabase(
        url,
        `update design_plan set version = version + 1 where id = (select min(id) from design_plan);
         delete from reminder where id = (select max(id) from reminder);
         insert into calendar_link (id, clinic_id, caregiver_id, titles, secret_hash, created_at)
           select 1000, clinic_id, caregiver_id, titles, 'x', created_at from calendar_link;
         select setval('book_id_seq', 1)`,
      );
      const { code, output } = await run('verify-restore', url, directory);
      expect(code).toBe(1);
      const lines = output.trim().split('\n').toSorted();
      expect(lines).toEqual([
        expect.stringMatching(/^book_id_seq is at 1 instead of \d+$/),
        expect.stringMatching(/^calendar_link has 2 rows instead of 1$/),
        expect.stringMatching(/^calendar_link_id_seq is at 1 instead of 1000$/),
        'design_plan has other rows than the backup',
        expect.stringMatching(/^reminder has \d+ rows instead of \d+$/),
      ]);
    });
  });

  it.each([
    ['cut off', (file: string) => truncateSync(file, statSync(file).size - 10), /client\.copy\.gz cannot be read \(/],
    ['lost', (file: string) => rmSync(file), /client\.copy\.gz cannot be read \(ENOENT\)/],
    [
      'changed',
      (file: string) =>
        writeFileSync(file, gzipSync(gunzipSync(readFileSync(file)).toString().replace('Name 77\t', 'Name 78\t'))),
      /^client has other rows than the backup\n$/,
    ],
    [
      'a row short',
      (file: string) =>
        writeFileSync(
          file,
          gzipSync(
            gunzipSync(readFileSync(file))
              .toString()
              .replace(/.*Name 77\t.*\n/, ''),
          ),
        ),
      /^client has \d+ rows instead of \d+\n$/,
    ],
  ])('is not restored if a file is %s, and the database stays empty', async (_, damage, complaint) => {
    const damaged = `${directory}-damaged`;
    cpSync(directory, damaged, { recursive: true });
    damage(join(damaged, 'client.copy.gz'));
    await withEmptyDatabase(async (url) => {
      expect(await run('restore', url, damaged)).toEqual({ code: 1, output: expect.stringMatching(complaint) });
      expect(Object.values(await rowsOf(url)).flat()).toEqual([]);
    });
    rmSync(damaged, { recursive: true });
  });

  it('is not restored into a database with rows or with another schema', async () => {
    expect(await run('restore', source, directory)).toEqual({
      code: 1,
      output: expect.stringMatching(/^\w+ has rows: restore into an empty database\.\n$/),
    });
    await withEmptyDatabase(async (url) => {
      const variables = { DATABASE_URL: url, JWT_SECRET: TEST_JWT_SECRET };
      expect(await runCommandInProcess('id-range', ['--number', '4'], variables)).toMatchObject({ status: 0 });
      expect(await run('restore', url, directory)).toEqual({
        code: 1,
        output: expect.stringMatching(/^\w+ has rows: restore into an empty database\.\n$/),
      });
    });
    await withEmptyDatabase(async (url) => {
      await onDatabase(url, `delete from schema_migration where id = (select max(id) from schema_migration)`);
      for (const command of ['restore', 'verify-restore'] as const)
        expect(await run(command, url, directory)).toEqual({
          code: 1,
          output: expect.stringMatching(/not migrated to this release/),
        });
    });
    await withEmptyDatabase(async (url) => {
      await onDatabase(url, 'alter table client add column shoe_size int');
      expect(await run('restore', url, directory)).toEqual({
        code: 1,
        output: 'The tables and columns of the database differ from those of the backup.\n',
      });
    });
  });

  it('is restored unchanged, without the effects of triggers', async () => {
    await withEmptyDatabase(async (url) => {
      await onDatabase(
        url,
        `create function rename() returns trigger language plpgsql as $$ begin new.name := 'other'; return new; end $$;
         create trigger plain before insert on client for each row execute function rename();
         create trigger always before insert on client for each row execute function rename();
         create trigger never before insert on client for each row execute function rename();
         alter table client enable always trigger always, disable trigger never`,
      );
      const modes = `select tgname, tgenabled from pg_trigger where tgname in ('always', 'never', 'plain') order by 1`;
      const asSet = await onDatabase(url, modes);
      expect(await run('restore', url, directory)).toMatchObject({ code: 0 });
      expect(await onDatabase(url, modes)).toEqual(asSet);
    });
  });
});

it('fails and removes the directory if row-level security would hide rows', async () => {
  await withEmptyDatabase(async (url) => {
    const role = `reader_${randomBytes(4).toString('hex')}`;
    await onDatabase(
      url,
      `create role ${role} login password 'reader';
       grant select on all tables in schema public to ${role};
       grant select on all sequences in schema public to ${role};
       grant insert on audit_entry to ${role};
       alter table session enable row level security`,
    );
    const target = `${directory}-partial`;
    const asReader = Object.assign(new URL(url), { username: role, password: 'reader' }).href;
    const { code, output } = await run('backup', asReader, target);
    expect([code, output]).toEqual([1, expect.stringMatching(/row-level security policy for table "\w+".*bypasses/)]);
    expect(existsSync(target)).toBe(false);
    await onDatabase(url, `alter role ${role} bypassrls`);
    expect(await run('backup', asReader, target)).toMatchObject({ code: 0 });
    await onDatabase(url, `drop owned by ${role}; drop role ${role}`);
  });
});

it.each(['backup', 'restore', 'verify-restore'] as const)('%s names the missing argument', async (command) => {
  expect(await run(command, source)).toEqual({ code: 1, output: 'Name one directory.\n' });
  const unused = command === 'backup' ? `${directory}-unused` : directory;
  expect(await run(command, '', unused)).toEqual({
    code: 1,
    output: expect.stringMatching(/^The embedded database/),
  });
  const nowhere = Object.assign(new URL(source), { pathname: '/nowhere' }).href;
  expect(await run(command, nowhere, unused)).toEqual({
    code: 1,
    output: expect.stringMatching(/^The database of DATABASE_URL cannot be used \(3D000\)/),
  });
  if (command !== 'backup')
    expect(await run(command, source, tmpdir())).toEqual({ code: 1, output: expect.stringMatching(/is not a backup/) });
});
