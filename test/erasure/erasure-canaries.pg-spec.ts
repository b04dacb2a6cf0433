import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { TEST_JWT_SECRET, waitFor } from '../support/app/test-app.js';
import {
  CanaryClinic,
  CARE_PROVIDER_PATH,
  CLINIC_PATH,
  findCanaries,
  createCanary,
} from '../support/contract/canary-clinic.js';
import { findColumnsWithout, NEUTRAL } from '../support/contract/text-columns.js';
import { createTestKeys, removeTestKeys, toKeyVariables } from '../support/app/test-keys.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { ServiceProcess } from '../support/process/service-process.js';

/*
 * A canary in every text field of every record of a Client. After the erasure, none of them is in a dump of the whole
 * database (tables, queue, stored answers), in the logs at the most detailed level, or in the metrics. Those of another
 * Client are all there, and the audit trail verifies. The first test has no keys, so that a dump shows every text; the
 * second one has keys, and restores a backup from before the erasure.
 */

let clinic: CanaryClinic;
afterEach(() => clinic.stop());

/** Every row of every table of every schema, as text. */
async function dump(): Promise<string> {
  const { rows: tables } = await clinic.sql.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`);
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await clinic.sql.query<{ text: string }>(`select t::text as text from ${name} t`);
    parts.push(...rows.map(({ text }) => text));
  }
  return parts.join('\n');
}

/** Asserts that a Client has a canary in each column with personal data of their own record and of their Sessions. */
async function requireCanaryInEachColumn(mark: string): Promise<void> {
  const { rows: tables } = await clinic.sql.query<{ name: string }>(`
    select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'client_id'`);
  const names = new Set(['client', ...tables.map(({ name }) => name)]);
  const ofClients = (columns: readonly string[]) => columns.filter((column) => names.has(column.split('.')[0]!));
  expect(ofClients(await findColumnsWithout(clinic.sql, createCanary(mark)))).toEqual(ofClients(NEUTRAL));
}

/** A Client with a canary in every text, whose names begin with `mark`. */
async function createClient(mark: string): Promise<number> {
  const person = { name: createCanary(`${mark}Name`), externalId: createCanary(`${mark}ExternalId`) };
  const email = `${createCanary(`${mark}Email`)}@example.org`;
  const { headers } = await clinic.callOrThrow(clinic.clinic, 'POST', `${CLINIC_PATH}/client`, { ...person, email });
  const id = Number(new Map(headers).get('location')!.split('/').at(-1));
  await clinic.callOrThrow(clinic.clinic, 'PUT', `${CLINIC_PATH}/client/${id}/care-provider/${clinic.careProvider.id}`);
  const texts = { title: createCanary(`${mark}Title`), description: createCanary(`${mark}Description`) };
  for (const day of ['01', '08']) {
    const body = {
      clientId: id,
      date: `2030/03/${day}`,
      time: mark === 'Gone' ? '09:30' : '13:30',
      remindDays: 0,
      ...texts,
    };
    await clinic.callOrThrow(clinic.careProvider, 'POST', `${CARE_PROVIDER_PATH}/session`, body, {
      'idempotency-key': `key-${mark}-${day}`,
    });
  }
  const list = await clinic.callOrThrow(clinic.careProvider, 'GET', `${CARE_PROVIDER_PATH}/session?clientId=${id}`);
  await clinic.callOrThrow(
    clinic.careProvider,
    'POST',
    `${CARE_PROVIDER_PATH}/session/${list.body.items[0].id}/cancel`,
    {
      ...{ reason: 'ILLNESS', note: createCanary(`${mark}CancelNote`) },
    },
  );
  const client = { role: 'CLIENT', id } as const;
  await clinic.callOrThrow(client, 'PUT', '/gateway/profile/client/reminder-preference', { channels: ['EMAIL'] });
  await clinic.callOrThrow(client, 'POST', '/gateway/profile/client/calendar-link', {});
  return id;
}

const canariesOf = (mark: string, text: string) =>
  findCanaries(text).filter((one) => one.startsWith(createCanary(mark)));
/** The names of the canaries of `createClient`, without the mark. Each text that it writes is named here. */
const ALL = ['CancelNote', 'Description', 'Email', 'ExternalId', 'Name', 'Title'];

async function erase(id: number): Promise<void> {
  const path = `${CLINIC_PATH}/client/${id}/erasure`;
  const { body } = await clinic.callOrThrow(clinic.clinic, 'POST', path, { reason: 'SUBJECT_REQUEST' });
  // The clock of the service cannot be set.
  await clinic.sql.query(`update erasure set confirmable_at = requested_at`);
  await clinic.callOrThrow(clinic.clinic, 'POST', `${path}/${body.id}/confirmation`);
  await waitFor(async () => (await clinic.sql.query(`select from erasure where erased_at is not null`)).rowCount === 1);
}

it('nothing of an erased Client is left in a dump, the queue, logs and metrics; everything of another is', async () => {
  clinic = await CanaryClinic.start();
  const [gone, kept] = [await createClient('Gone'), await createClient('Kept')];
  await requireCanaryInEachColumn('Gone');
  const before = await dump();
  for (const mark of ['Gone', 'Kept'])
    expect(canariesOf(mark, before)).toEqual(ALL.map((field) => createCanary(`${mark}${field}`)));
  expect((await clinic.sql.query(`select from idempotency_key where 'client/${gone}' = any(records)`)).rowCount).toBe(
    2,
  );
  await erase(gone);
  const after = await dump();
  expect(canariesOf('Gone', after)).toEqual([]);
  expect(canariesOf('Kept', after)).toEqual(ALL.map((field) => createCanary(`Kept${field}`)));
  expect((await clinic.sql.query(`select from idempotency_key where 'client/${gone}' = any(records)`)).rowCount).toBe(
    0,
  );
  expect((await clinic.sql.query(`select from idempotency_key where 'client/${kept}' = any(records)`)).rowCount).toBe(
    2,
  );
  const messages = `select from pgboss.job where data->>'messageId' not in (
    select message_id::text from reminder where message_id is not null)`;
  expect((await clinic.sql.query(messages)).rowCount).toBe(0);
  expect(findCanaries(await clinic.instance.readLog())).toEqual([]);
  expect(findCanaries(await (await fetch(`${clinic.instance.url}/metrics`)).text())).toEqual([]);
  // The Clinic can still read ids of the record only.
  for (const path of ['', '/export', '/erasure'])
    expect(
      canariesOf('Gone', (await clinic.call(clinic.clinic, 'GET', `${CLINIC_PATH}/client/${gone}${path}`)).text),
    ).toEqual([]);
  const search = await clinic.callOrThrow(clinic.clinic, 'GET', `${CLINIC_PATH}/client?name=${createCanary('Gone')}`);
  expect(search.body.items).toEqual([]);
  await verifyAudit();
});

/** The chain verifies after its newest entries are sealed. */
async function verifyAudit(): Promise<void> {
  await waitFor(async () => (await clinic.sql.query('select from audit_unsealed')).rowCount === 0);
  const variables = { DATABASE_URL: databaseUrl(), JWT_SECRET: TEST_JWT_SECRET };
  const { status, stdout } = await runCommandInProcess('audit-verify', [], variables);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^OK: \d+ entries in \d+ seals, 0 finding\(s\)$/m)]);
}

function databaseUrl(): string {
  const { environment } = clinic.database;
  if (environment.kind !== 'postgresql') throw new Error('This test needs a server');
  return environment.url;
}

async function run(command: string, databaseUrl: string, ...words: string[]): Promise<void> {
  const result = await runCommandInProcess(command, words, { DATABASE_URL: databaseUrl, JWT_SECRET: TEST_JWT_SECRET });
  if (result.status !== 0) throw new Error(`${command}: ${result.stdout}${result.stderr}`);
}

function ownerUrl({ environment }: TestDatabase): string {
  if (environment.kind !== 'postgresql') throw new Error('This test needs a server');
  return environment.migrationUrl;
}

/** Everything that the Clinic and its Care Provider can read about a Client, as text. */
async function readAbout(id: number): Promise<string> {
  const [client, sessions] = [`${CLINIC_PATH}/client/${id}`, `${CARE_PROVIDER_PATH}/session?clientId=${id}`];
  const replies = [
    await clinic.callOrThrow(clinic.clinic, 'GET', client),
    await clinic.callOrThrow(clinic.clinic, 'GET', `${client}/export`),
    await clinic.callOrThrow(clinic.clinic, 'GET', `${CLINIC_PATH}/client?limit=100`),
    await clinic.callOrThrow(clinic.careProvider, 'GET', sessions),
  ];
  return replies.map(({ text }) => text).join('\n');
}

it('nothing of an erased Client can be read in a backup that was taken before and is restored now', async () => {
  const keys = createTestKeys();
  const directory = mkdtempSync(join(tmpdir(), 'erasure-backup-'));
  const restored = await createTestDatabase('postgresql');
  clinic = await CanaryClinic.start(true, toKeyVariables(keys));
  try {
    const [gone, kept] = [await createClient('Gone'), await createClient('Kept')];
    for (const [mark, id] of [['Gone', gone] as const, ['Kept', kept] as const])
      expect(canariesOf(mark, await readAbout(id))).toEqual(ALL.map((field) => createCanary(`${mark}${field}`)));
    // Without the keys, a dump shows no text of either.
    for (const mark of ['Gone', 'Kept']) expect(canariesOf(mark, await dump())).toEqual([]);
    await run('backup', ownerUrl(clinic.database), join(directory, 'taken'));
    await erase(gone);
    // The rest of the record can be read without a key, and is not reported as damage.
    const erased = await clinic.callOrThrow(clinic.clinic, 'GET', `${CLINIC_PATH}/client/${gone}`);
    expect(erased.body).toMatchObject({ name: 'Erased', email: null, externalId: null });
    const row = await clinic.sql.query(`select name, external_id, external_id_digest from client where id = ${gone}`);
    expect(row.rows).toEqual([{ name: 'Erased', external_id: null, external_id_digest: null }]);
    await verifyAudit();
    const entries = await clinic.callOrThrow(clinic.clinic, 'GET', `${CLINIC_PATH}/audit?limit=100`);
    expect(entries.text).not.toContain('[unreadable]');
    expect(await clinic.instance.readLog()).not.toContain('cannot be decrypted');
    const metrics = await (await fetch(`${clinic.instance.url}/metrics`)).text();
    expect(metrics).toMatch(/^scheduling_encryption_unreadable_total 0$/m);

    // The template has the row of a start of the service.
    const client = new pg.Client({ connectionString: ownerUrl(restored) });
    await client.connect();
    await client.query('delete from zone_data');
    await client.end();
    await run('restore', ownerUrl(restored), join(directory, 'taken'));
    await clinic.instance.terminate('SIGTERM');
    if (restored.environment.kind !== 'postgresql') throw new Error('This test needs a server');
    clinic.instance = await ServiceProcess.start({
      DATABASE_URL: restored.environment.url,
      LOG_LEVEL: 'trace',
      ...toKeyVariables(keys),
    });
    // The database has the rows of the Client again, but the key store no longer has their key.
    const again = await readAbout(gone);
    expect(again).toContain('[erased]');
    expect(canariesOf('Gone', again)).toEqual([]);
    expect(canariesOf('Kept', await readAbout(kept))).toEqual(ALL.map((field) => createCanary(`Kept${field}`)));
  } finally {
    await clinic.instance.terminate('SIGKILL');
    await restored.drop();
    rmSync(directory, { recursive: true });
    removeTestKeys(keys);
  }
});
