import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { ormOptions } from '../../mikro-orm.config.js';
import { AuditRetention, AuditSealer, AuditVerifier, type AuditFinding } from '../../src/audit/index.js';
import { ONLINE_PREPARATIONS } from '../../src/migrations/online-preparations.js';
import { migrations } from '../../src/migrations/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { migrateUp, prepareOnline } from '../../src/shared/persistence/index.js';
import { allowEarlyRetirement, createAuditLimits } from '../support/database/audit-retention.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests that the audit table of an earlier release becomes a partition without being copied, and that this partition
 * can be retired.
 */

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  await app.nest.get(Scheduler).stop();
  await allowEarlyRetirement(app);
});
afterAll(() => app.stop());

const FIRST = 'migration-20261124110100-audit-seal-times';
const seal = () => app.nest.get(AuditSealer).seal();

async function read(): Promise<void> {
  const { status } = await app.call('GET', '/gateway/profile/clinic/session', { token: clinic.clinicToken });
  expect(status).toBe(200);
}

async function findFindings(): Promise<AuditFinding[]> {
  const findings: AuditFinding[] = [];
  const verifier = new AuditVerifier(app.nest.get(MikroORM).em, (finding) => findings.push(finding));
  await verifier.verify(app.clock.now());
  return findings;
}

/** Returns the names of the tables that contain the entries. They would change if the table were copied. */
const tables = () => app.queryRows(sql`select distinct tableoid::regclass::text as name from audit_entry`);
const ids = () => app.queryRows(sql`select id::int from audit_entry order by id`);

it('keeps entries and seals through a rollback and an upgrade, and retires them', async () => {
  for (let time = 0; time < 3; time += 1) {
    await read();
    await seal();
  }
  await read();
  const before = await ids();
  const orm = await MikroORM.init(await ormOptions(app.environment.database, 'owner'));
  try {
    const names = migrations.map(({ name }) => name).filter((name) => name >= FIRST);
    await orm.migrator.down({ migrations: names });
    expect(await tables()).toEqual([{ name: 'audit_entry' }]);
    // Creates the invalid index that an interrupted upgrade leaves behind.
    await orm.em.getConnection().execute('create index audit_entry_id_at on audit_entry (id)');
    await orm.em
      .getConnection()
      .execute(`update pg_index set indisvalid = false where indexrelid = 'audit_entry_id_at'::regclass`);
    expect(await prepareOnline(orm, ONLINE_PREPARATIONS)).toContain('audit_entry_id_at');
    expect(await prepareOnline(orm, ONLINE_PREPARATIONS)).toEqual([]);
    await migrateUp(orm, app.environment.database);
    expect(await prepareOnline(orm, ONLINE_PREPARATIONS)).toEqual([]);
    await allowEarlyRetirement(app);
  } finally {
    await orm.close();
  }
  expect(await tables()).toEqual([{ name: 'audit_entry_earlier' }]);
  expect(await ids()).toEqual(before);
  await read();
  const all = await ids();
  // New entries continue the sequence of IDs.
  expect(all.length).toBe(before.length + 1);
  await seal();
  expect(await findFindings()).toEqual([]);
  const privileges = await app.queryRows(sql`
    select grantee from information_schema.column_privileges
    where table_name in ('audit_entry_earlier', 'audit_entry_202612') and grantee like 'scheduling%'`);
  expect(privileges).toEqual([]);

  app.clock.set('2028-06-20T10:00:00Z');
  await app.nest.get(AuditRetention).ensurePartitions();
  const limits = new Map([clinic.clinicId, 0].map((chain) => [chain, Temporal.Instant.from('2028-05-02T00:00:00Z')]));
  const { partitions, entries } = await app.nest.get(AuditRetention).retire(createAuditLimits(limits), () => undefined);
  expect(partitions).toBeGreaterThanOrEqual(1);
  expect(entries).toBe(all.length);
  await seal();
  expect(await findFindings()).toEqual([]);
});

it('waits for a short time only if a request is writing, and is not blocked afterwards', async () => {
  const orm = await MikroORM.init(await ormOptions(app.environment.database, 'owner'));
  try {
    await orm.em.fork().transactional(async (em) => {
      await em
        .getConnection()
        .execute('lock table audit_entry in row exclusive mode', [], 'run', em.getTransactionContext());
      const before = Temporal.Instant.from('2028-07-05T00:00:00Z');
      app.clock.set('2029-06-20T10:00:00Z');
      const limits = new Map([clinic.clinicId, 0].map((chain) => [chain, before]));
      const retiring = app.nest.get(AuditRetention).retire(createAuditLimits(limits), () => undefined);
      await expect(retiring).rejects.toMatchObject({ code: '55P03' });
    });
  } finally {
    await orm.close();
  }
  await read();
  await seal();
  expect(await findFindings()).toEqual([]);
});

it('retires a month of many entries in less than a second', async () => {
  const [month, rows] = ['2025-01-01T00:00:00Z', 100_000];
  await app.asSuperuser(async (em) => {
    const run = (statement: string) => (em as SqlEntityManager).execute(statement);
    await run(`select ensure_audit_partitions('${month}', '${month}')`);
    for (const table of ['audit_entry_202501', 'audit_seal']) await run(`alter table ${table} disable trigger all`);
    await run(`
      insert into audit_entry_202501 (id, clinic_id, at, actor_role, access, operation, records, record_count, request_id,
        address, outcome, count) overriding system value
      select 1000000 + n, ${clinic.clinicId} * 1000 + n / 1000 % 10, '${month}'::timestamptz + n * interval '10 seconds',
        'CLINIC', 'READ', 'GET /', array['session/' || n], 1, gen_random_uuid(), '127.0.0.1', 'OK', 1
      from generate_series(0, ${rows - 1}) n`);
    await run(`
      insert into audit_seal (chain, number, previous_hash, entry_ids, entry_hashes, sealed_at, hash, entry_count, first_at,
        last_at)
      select clinic_id, row_number() over (partition by clinic_id order by min(id)), '', array_agg(id order by id),
        array_agg(md5(id::text)), max(at), md5(min(id)::text), count(*), min(at), max(at)
      from audit_entry_202501 group by clinic_id, id / 1000`);
    for (const table of ['audit_entry_202501', 'audit_seal']) await run(`alter table ${table} enable trigger all`);
  });
  const limits = new Map([[clinic.clinicId, Temporal.Instant.from('2025-02-03T00:00:00Z')]]);
  const startedAt = performance.now();
  const retired = await app.nest.get(AuditRetention).retire(createAuditLimits(limits), () => undefined);
  const milliseconds = performance.now() - startedAt;
  process.stdout.write(`${rows} audit entries retired in ${Math.round(milliseconds)} ms\n`);
  expect([retired, milliseconds]).toEqual([{ partitions: 1, entries: rows }, expect.any(Number)]);
  expect(milliseconds).toBeLessThan(1_000);
  await seal();
  expect(await findFindings()).toEqual([]);
});

it('hides no entries from a concurrent read while a new partition takes them over', async () => {
  const add = (month: string) =>
    app.queryRows(sql`
      insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome)
      select ${clinic.clinicId}, ${month}::timestamptz + n * interval '1 second', 'CLINIC', 'READ', 'o', '{}', 0, gen_random_uuid(),
        'a', 'OK' from generate_series(1, 100) n`);
  const counts: number[][] = [];
  for (let month = 1; month <= 12; month += 1) {
    await add(`2011-${String(month).padStart(2, '0')}-01T00:00:00Z`);
    let isMoving = true;
    const read = async (reader: number) => {
      const seen = new Set<number>();
      while (isMoving) {
        // Another text for each read, because only a statement that is being planned may miss a new partition.
        const [row] = await app.queryRows(sql<{ count: number }>`
          select count(*)::int as count, ${sql.raw(String(reader + Math.random()))} from audit_entry
          where clinic_id = ${clinic.clinicId} and at < '2012-01-01Z'`);
        seen.add(row!.count);
      }
      return [...seen];
    };
    const readers = [1, 2, 3, 4].map(read);
    await app.nest.get(AuditRetention).ensurePartitions();
    isMoving = false;
    counts.push([...new Set((await Promise.all(readers)).flat())]);
  }
  expect(counts).toEqual(counts.map((_, index) => [(index + 1) * 100]));
});
