import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { AuditSealer } from '../../src/audit/index.js';
import { signToken } from '../../src/auth/index.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { createTestDatabase } from '../support/database/test-database.js';
import { TEST_JWT_SECRET, testEnvironment, TestApp } from '../support/app/test-app.js';

/*
 * Tests a damaged page of a table on disk. The server caches pages in memory, so the test damages a database and copies
 * its files (`strategy file_copy`). No page of the copy is cached.
 */

const PLAN = '/gateway/profile/clinic/design-plan';
/** Position of the first row in a page, because PostgreSQL fills pages from the end. */
const PLACE = 8_192 - 40;

let server: pg.Client;
let damaged: string;
let isLocal: boolean;
let app: TestApp;
beforeAll(async () => {
  const source = await createTestDatabase('postgresql');
  if (source.environment.kind !== 'postgresql') throw new Error('needs a server');
  const { migrationUrl, url } = source.environment;
  server = new pg.Client({ connectionString: process.env['TEST_SERVER_URL'] });
  await server.connect();
  damaged = `${new URL(migrationUrl).pathname.slice(1)}_damaged`;
  isLocal = await damageTables(migrationUrl);
  await server.query(
    `create database ${damaged} template ${new URL(migrationUrl).pathname.slice(1)} strategy file_copy`,
  );
  await source.drop();
  const at = (address: string) => Object.assign(new URL(address), { pathname: `/${damaged}` }).href;
  app = await TestApp.start({ database: { ...source.environment, url: at(url), migrationUrl: at(migrationUrl) } });
});
afterAll(async () => {
  await app.stop();
  await server.query(`drop database ${damaged} with (force)`);
  await server.end();
});

/**
 * Damages the first page of the table of plans, and of a table without an entity.
 *
 * @returns false if the files of the server are not on this machine
 */
async function damageTables(address: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    await client.query(`
      insert into clinic (name, time_zone, active, created_at) values ('C', 'UTC', true, now());
      insert into design_plan (clinic_id, plan_name, created_date, weeks, revision, version, template)
        values (1, 'P', now(), '[]', 1, 1, false);
      insert into removed_record (clinic_id, client_id, name, removed_at) values (1, 1, 'session/1', now())`);
    await client.query('checkpoint');
    const { rows } = await client.query<{ directory: string; paths: string[]; checksums: string }>(`
      select current_setting('data_directory') as directory, current_setting('data_checksums') as checksums,
        array[pg_relation_filepath('design_plan'), pg_relation_filepath('removed_record')] as paths`);
    const { directory, paths, checksums } = rows[0]!;
    const files = paths.map((path) => join(directory, path));
    if (!files.every((file) => existsSync(file)) || checksums !== 'on') return false;
    for (const path of files) {
      const file = openSync(path, 'r+');
      writeSync(file, 'damage', PLACE);
      closeSync(file);
    }
    return true;
  } finally {
    await client.end();
  }
}

async function auditVerify(...words: string[]): Promise<{ status: number; lines: string[] }> {
  const { database } = app.environment;
  if (database.kind !== 'postgresql') throw new Error('needs a server');
  const variables = {
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.migrationUrl,
    JWT_SECRET: TEST_JWT_SECRET,
  };
  const { status, stdout } = await runCommandInProcess('audit-verify', words, variables);
  const lines = stdout.trimEnd().split('\n');
  return { status, lines: lines.filter((line) => !/^(database|head) /.test(line)) };
}

it('is found by audit-verify --deep only, and makes an instance not ready when one of its queries reads it', async () => {
  if (!isLocal) {
    process.stdout.write('Skipped: the files of the server are not on this machine, or have no checksums.\n');
    return;
  }
  const token = await signToken(testEnvironment.token, { role: 'CLINIC', id: 1 });
  expect((await app.call('GET', '/gateway/profile/clinic/session', { token })).status).toBe(200);
  await app.nest.get(AuditSealer).seal();
  const intact = 'OK: 1 entries in 1 seals, 0 finding(s)';
  expect(await auditVerify()).toEqual({ status: 0, lines: [intact] });
  const deep = [
    'UNREADABLE design_plan',
    'UNREADABLE removed_record',
    'NOT OK: all rows were read, 2 table(s) are damaged',
  ];
  expect(await auditVerify('--deep')).toEqual({ status: 1, lines: [intact, ...deep] });

  expect((await app.call('GET', '/health/ready')).status).toBe(200);
  const met = await app.call('GET', PLAN, { token });
  expect([met.status, met.body.type]).toEqual([503, 'urn:problem:service-unavailable']);
  const ready = await app.call('GET', '/health/ready');
  expect([ready.status, ready.body.detail]).toEqual([503, 'Not ready: database (damaged).']);
});
