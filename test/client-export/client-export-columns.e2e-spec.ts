import { sql } from 'kysely';
import type { ClientExport } from '../../src/client/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { AuditRecordKinds } from '../../src/shared/audit-records/index.js';
import { itOnOneServer } from '../support/database/one-server-tests.js';
import { TestApp } from '../support/app/test-app.js';
import { ColumnProbe, type DatabaseColumn } from '../support/client-export/column-probe.js';
import { ExportedClientFixture } from '../support/client-export/exported-client.js';
import { EXPORT_EXCEPTIONS } from './exceptions.js';

/*
 * Tests that the export of a Client contains every column of the database, except for listed exceptions with a reason.
 * Tables and columns are read from the database. A column counts as contained if changing its value changes the export.
 */

let app: TestApp;
let client: ExportedClientFixture;
let probe: ColumnProbe;
beforeAll(async () => {
  app = await TestApp.start();
  // Stops all jobs, because no other row may change during the test.
  await app.nest.get(Scheduler).stop();
  client = await ExportedClientFixture.create(app);
  const { audit } = await client.readDocument();
  const lastEntry = audit.at(-1)!.id;
  probe = new ColumnProbe(app, async () => {
    // If the service cannot write the value, the connection is closed before the end of the response.
    const { status, body } = await client.export().catch(() => ({ status: 500, body: undefined }));
    if (status !== 200) return { status, text: '' };
    const document = body as ClientExport;
    // Leaves out audit entries that the exports of this test have added.
    return { status, text: JSON.stringify({ ...document, audit: document.audit.filter(({ id }) => id <= lastEntry) }) };
  });
});
afterAll(() => app.stop());

const isException = ({ schema, table, column }: DatabaseColumn) =>
  [schema, table, `${table}.${column}`].some((name) => Object.hasOwn(EXPORT_EXCEPTIONS, name));

const findMissing = async (columns: readonly DatabaseColumn[]) => {
  const missing: string[] = [];
  for (const column of columns)
    if (!isException(column) && !(await probe.isInExport(column))) missing.push(`${column.table}.${column.column}`);
  return missing;
};

itOnOneServer('has every column of the database that is no exception', async () => {
  const columns = await probe.listColumns();
  expect(columns.length).toBeGreaterThan(150);
  expect(await findMissing(columns)).toEqual([]);
});

itOnOneServer('finds a column and a table that are new', async () => {
  await app.queryRows(sql`alter table client add column blood_type text`);
  await app.queryRows(sql`create table diagnosis (client_id bigint, code text)`);
  const columns = await probe.listColumns();
  const added = columns.filter(({ table, column }) => table === 'diagnosis' || column === 'blood_type');
  expect(await findMissing(added)).toEqual(['client.blood_type', 'diagnosis.client_id', 'diagnosis.code']);
});

it('each exception names a schema, a table or a column that exists, and has a reason', async () => {
  const columns = await probe.listColumns();
  const names = new Set(columns.flatMap(({ schema, table, column }) => [schema, table, `${table}.${column}`]));
  expect(Object.keys(EXPORT_EXCEPTIONS).filter((name) => !names.has(name))).toEqual([]);
  expect(Object.values(EXPORT_EXCEPTIONS).filter((reason) => !/^[A-Z].{20,}\.$/.test(reason))).toEqual([]);
});

/** Kinds of records that no single Client has, or whose entries also name the Client. */
const OTHER_RECORDS = [
  ...['administrator-access', 'book', 'care-provider', 'clinic', 'design-plan', 'erasure', 'reminder-preference'],
  ...['retention', 'revoked-token-holder', 'week'],
];

it('finds the audit entries of each kind of record that a Client has', async () => {
  const rows = await app.queryRows(sql<{ kind: string }>`
    with clinic as materialized (select set_config('app.clinic_id', ${String(client.clinic.clinicId)}, true))
    select distinct split_part(name, '/', 1) as kind from clinic cross join unnest(client_record_names(${client.id})) as name`);
  const declared = [...app.nest.get(AuditRecordKinds)['kinds']].filter(([, { isNamed = true }]) => isNamed);
  const found = rows.map(({ kind }) => kind);
  expect([...found, ...OTHER_RECORDS].sort()).toEqual(declared.map(([kind]) => kind).sort());
});
