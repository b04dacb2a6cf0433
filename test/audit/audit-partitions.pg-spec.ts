import { MikroORM } from '@mikro-orm/core';
import { sql } from 'kysely';
import { ormOptions } from '../../mikro-orm.config.js';
import { AuditRetention, AuditSealer, AuditVerifier, type Finding } from '../../src/audit/index.js';
import { migrations } from '../../src/migrations/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { migrateUp } from '../../src/shared/persistence/index.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* The audit trail of an earlier release becomes a partition, in place, and can be retired. */

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  await app.nest.get(Scheduler).stop();
});
afterAll(() => app.stop());

const FIRST = 'migration-20261124110100-audit-seal-times';
const seal = () => app.nest.get(AuditSealer).seal();

async function read(): Promise<void> {
  const { status } = await app.call('GET', '/gateway/profile/clinic/session', { token: clinic.clinicToken });
  expect(status).toBe(200);
}

async function findFindings(): Promise<Finding[]> {
  const findings: Finding[] = [];
  const verifier = new AuditVerifier(app.nest.get(MikroORM).em, (finding) => findings.push(finding));
  await verifier.verify(app.clock.now());
  return findings;
}

/** The numbers of the tables that contain the entries, because a copied table has another number. */
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
    await migrateUp(orm, app.environment.database);
  } finally {
    await orm.close();
  }
  expect(await tables()).toEqual([{ name: 'audit_entry_earlier' }]);
  expect(await ids()).toEqual(before);
  await read();
  const all = await ids();
  // Ids continue.
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
  const { partitions, entries } = await app.nest.get(AuditRetention).retire(limits, () => undefined);
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
      const retiring = app.nest.get(AuditRetention).retire(limits, () => undefined);
      await expect(retiring).rejects.toMatchObject({ code: '55P03' });
    });
  } finally {
    await orm.close();
  }
  await read();
  await seal();
  expect(await findFindings()).toEqual([]);
});
