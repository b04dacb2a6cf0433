import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import {
  AuditRetention,
  AuditRetirement,
  AuditSealer,
  AuditVerifier,
  type ChainHead,
  type AuditFinding,
} from '../../src/audit/index.js';
import { forkForActor } from '../../src/shared/persistence/index.js';
import { allowEarlyRetirement, createAuditLimits } from '../support/database/audit-retention.js';
import { TestClock } from '../support/app/test-clock.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests that audit entries are retired one month at a time and only if they are sealed, and that the verification knows
 * how far a chain is retired.
 */

let app: TestApp;
let clinics: [ClinicFixture, ClinicFixture];
beforeEach(async () => {
  app = await TestApp.start();
  await allowEarlyRetirement(app);
  clinics = [await app.createClinic(), await app.createClinic()];
});
afterEach(() => app.stop());

const retention = () => app.nest.get(AuditRetention);
const seal = () => app.nest.get(AuditSealer).seal();

/** Creates audit entries of both Clinics and an entry without a Clinic at the given time. */
async function request(at: string, times = 2): Promise<void> {
  app.clock.set(at);
  await retention().ensurePartitions();
  for (let time = 0; time < times; time += 1) {
    for (const { clinicToken: token } of clinics) await app.call('GET', '/gateway/profile/clinic/session', { token });
    await app.call('POST', '/gateway/admin/book', { token: await app.createToken('ADMIN'), body: { title: 'T' } });
  }
}

/**
 * Creates entries in November, December and January. One seal contains both the last entry of December and the first of
 * January.
 */
async function fillThreeMonths(): Promise<void> {
  await request('2026-11-21T10:00:00Z');
  await seal();
  await request('2026-12-10T10:00:00Z');
  await seal();
  await request('2026-12-31T23:59:59.999Z', 1);
  await request('2027-01-01T00:00:00Z', 1);
  await seal();
  await request('2027-01-10T10:00:00Z');
  await seal();
  app.clock.set('2027-06-20T10:00:00Z');
}

const limit = (text: string) => Temporal.Instant.from(`${text}T00:00:00Z`);

/** @param others the limit for the second Clinic and for entries without a Clinic; null if they keep all entries */
const retire = (own: string, others: string | null = own) =>
  retention().retire(
    createAuditLimits(
      new Map([
        [clinics[0].clinicId, limit(own)],
        ...[clinics[1].clinicId, 0].map((chain) => [chain, others === null ? undefined : limit(others)] as const),
      ]),
    ),
    () => undefined,
  );

async function verify(kept: ChainHead[] = []) {
  const findings: AuditFinding[] = [];
  const verifier = new AuditVerifier(app.nest.get(MikroORM).em, (finding) => findings.push(finding));
  return { ...(await verifier.verify(app.clock.now(), kept)), findings };
}

const months = async () => {
  const rows = await app.queryRows(sql<{ month: string; entries: number }>`
    select to_char(at at time zone 'UTC', 'YYYY-MM') as month, count(*)::int as entries from audit_entry
    where actor_role <> 'SYSTEM' group by 1 order by 1`);
  return Object.fromEntries(rows.map(({ month, entries }) => [month, entries]));
};
const partitions = async () =>
  (await app.queryRows(sql<{ name: string }>`select name from audit_partitions() order by lower`)).map(
    ({ name }) => name,
  );

/** Runs statements as the owner of the tables, with triggers disabled. */
async function tamper(...statements: string[]): Promise<void> {
  await app.asSuperuser(async (em) => {
    const off = ['audit_entry', 'audit_seal', 'audit_retirement'];
    for (const table of off) await (em as SqlEntityManager).execute(`alter table ${table} disable trigger all`);
    for (const statement of statements) await (em as SqlEntityManager).execute(statement);
    for (const table of off) await (em as SqlEntityManager).execute(`alter table ${table} enable trigger all`);
  });
}

it('drops the partitions of months that all retentions have passed, and verification is clean', async () => {
  await fillThreeMonths();
  const { heads } = await verify();
  expect(await months()).toEqual({ '2026-11': 6, '2026-12': 9, '2027-01': 9 });
  expect(await retire('2026-12-01')).toEqual({ partitions: 0, entries: 0 });
  expect(await retire('2026-12-02')).toEqual({ partitions: 1, entries: 6 });
  expect(await months()).toEqual({ '2026-12': 9, '2027-01': 9 });
  expect(await partitions()).not.toContain('audit_entry_202611');
  // The last seal of December also contains entries of January, which are removed with it.
  expect(await retire('2027-01-02')).toEqual({ partitions: 1, entries: 12 });
  expect(await months()).toEqual({ '2027-01': 6 });
  expect((await verify(heads)).findings).toEqual([]);
  await seal();
  const { findings, retired } = await verify(heads);
  expect(findings).toEqual([]);
  expect(retired.map(({ chain, number, entries }) => [chain, number, entries]).sort()).toEqual(
    [0, clinics[0].clinicId, clinics[1].clinicId].map((chain) => [chain, 3, 6]).sort(),
  );
  // A chain continues even after all its entries have been retired.
  app.clock.set('2028-06-20T10:00:00Z');
  await retire('2028-06-01');
  await request('2028-06-20T11:00:00Z');
  await seal();
  expect((await verify(heads)).findings).toEqual([]);
});

it('deletes the entries of a Clinic with a shorter retention, and keeps the partition of the others', async () => {
  await fillThreeMonths();
  const { heads } = await verify();
  expect(await retire('2027-01-02', null)).toEqual({ partitions: 0, entries: 6 });
  expect(await months()).toEqual({ '2026-11': 4, '2026-12': 6, '2027-01': 8 });
  await seal();
  expect((await verify(heads)).findings).toEqual([]);
  expect(await retire('2027-01-02')).toEqual({ partitions: 2, entries: 12 });
  await seal();
  expect((await verify(heads)).findings).toEqual([]);
});

it('keeps what is not sealed', async () => {
  await fillThreeMonths();
  await request('2026-12-15T10:00:00Z', 1);
  app.clock.set('2027-06-20T10:00:00Z');
  expect(await retire('2027-02-20')).toEqual({ partitions: 1, entries: 6 + 18 - 0 });
  expect(await months()).toEqual({ '2026-12': 3 });
});

it('does not retire what has been changed, so that verification still finds it', async () => {
  await fillThreeMonths();
  const [entry] = await app.queryRows(sql<{ id: string }>`select min(id)::text as id from audit_entry`);
  await tamper(`delete from audit_entry where id = ${entry!.id}`);
  await expect(retire('2026-12-02')).rejects.toThrow(/differ from their seals/);
  await expect(retire('2026-12-02', null)).rejects.toThrow(/are missing in chain/);
  expect((await verify()).findings).toEqual([expect.objectContaining({ kind: 'MISSING', entryId: Number(entry!.id) })]);
});

it('retires the entries of other chains, if those of one have been changed', async () => {
  await fillThreeMonths();
  const [{ clinicId }] = clinics;
  const [entry] = await app.queryRows(sql<{ id: string }>`
    select min(id)::text as id from audit_entry where clinic_id = ${clinicId}`);
  await tamper(`delete from audit_entry where id = ${entry!.id}`);
  await expect(retire('2027-01-02')).rejects.toThrow(/differ from their seals/);
  const left = await app.queryRows(sql<{ clinic: string | null }>`
    select distinct clinic_id::text as clinic from audit_entry
    where actor_role <> 'SYSTEM' and at < '2027-01-01T00:00:00Z'`);
  expect(left).toEqual([{ clinic: String(clinicId) }]);
});

it('is refused by the database for entries of the last year, whatever the service asks for', async () => {
  await request(new TestClock().now().subtract({ hours: 1 }).toString());
  await seal();
  await app.queryRows(sql`
    create or replace function audit_minimum_retention() returns interval language sql immutable
      as $$ select interval '1 year' $$`);
  const call = (statement: string) =>
    forkForActor(app.nest.get(MikroORM).em, { role: 'AUDIT' }).transactional((em) =>
      (em as unknown as SqlEntityManager).execute(statement),
    );
  const chain = clinics[0].clinicId;
  for (const statement of [
    `select retire_audit_entries(${chain}, 'infinity', 'infinity', now(), '', 10)`,
    `select retire_audit_partition('infinity', 'infinity', '2099-01-01', '')`,
    `select audit_record_retirement(${chain}, 1, 2, now(), '')`,
    'delete from audit_entry_202611',
    `with allowed as (select set_config('app.audit_retiring', 'on', true)) delete from audit_entry using allowed`,
  ])
    await expect(call(statement)).rejects.toMatchObject({ code: '42501' });
  expect((await verify()).findings).toEqual([]);
});

it.each([
  'complete_audit_seals(10)',
  'prune_audit_seals(10)',
  `ensure_audit_partitions(now(), now() + interval '4 months')`,
  `retire_audit_entries((select min(chain) from audit_seal), '2026-12-01', '2026-12-01', '2028-01-01', '', 10)`,
])('allows no other change in the transaction of %s', async (call) => {
  await fillThreeMonths();
  const changed = app.asSuperuser(async (em) => {
    await (em as SqlEntityManager).execute(`select ${call}`);
    await (em as SqlEntityManager).execute('delete from audit_entry');
  });
  await expect(changed).rejects.toMatchObject({ code: '42501', message: expect.stringContaining('append-only') });
});

it.each(['blocksAfter', 'entriesOf'] as const)('verification continues if retention runs before %s', async (read) => {
  await fillThreeMonths();
  const findings: AuditFinding[] = [];
  const verifier = new AuditVerifier(app.nest.get(MikroORM).em, (finding) => findings.push(finding));
  const reads = verifier as unknown as Record<typeof read, (of: unknown) => Promise<unknown>>;
  const original = reads[read].bind(verifier);
  let isRetired = false;
  reads[read] = async (of) => {
    if (!isRetired) await retire('2027-01-02');
    isRetired = true;
    return original(of);
  };
  const { retired } = await verifier.verify(app.clock.now());
  expect(findings).toEqual([]);
  expect(retired).toEqual((await verify()).retired);
  expect(retired).toHaveLength(3);
});

describe('verification fails', () => {
  it('if a partition was dropped that is not recorded', async () => {
    await fillThreeMonths();
    await tamper('drop table audit_entry_202612');
    const { findings } = await verify();
    expect(findings).toHaveLength(9);
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['MISSING']));
  });

  it('if the retired block is not the one that was kept', async () => {
    await fillThreeMonths();
    await retire('2026-12-02');
    const [kept] = await app.asSuperuser((em) => em.find(AuditRetirement, {}));
    const { chain, number, hash } = kept!;
    expect((await verify([{ chain, number, hash }])).findings).toEqual([]);
    const { findings } = await verify([{ chain, number, hash: '0'.repeat(64) }]);
    expect(findings).toEqual([{ kind: 'HEAD_MISMATCH', chain, seal: number }]);
  });

  it('if a partition was dropped that is not sealed', async () => {
    await request('2026-12-10T10:00:00Z');
    await tamper('drop table audit_entry_202612');
    expect((await verify()).findings.map(({ kind }) => kind)).toEqual(Array(6).fill('MISSING'));
  });

  it('if a partition was dropped with a record that the chain does not prove', async () => {
    await fillThreeMonths();
    await tamper(
      'drop table audit_entry_202611',
      `insert into audit_retirement select chain, number, hash, 2, now(), 1 from audit_seal where number = 1`,
    );
    const { findings } = await verify();
    expect(findings.map(({ kind }) => kind)).toEqual(Array(3).fill('NOT_RECORDED'));
  });

  it('if the record names another seal, or an entry was inserted into a retired month', async () => {
    await fillThreeMonths();
    await retire('2027-01-02');
    await seal();
    await tamper(
      `update audit_retirement set hash = repeat('f', 64) where chain = 0`,
      `insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address,
        outcome) values (${clinics[0].clinicId}, '2026-11-25', 'CLINIC', 'READ', 'o', '{}', 0, gen_random_uuid(), 'a', 'OK')`,
    );
    const kinds = (await verify()).findings.map(({ kind, chain }) => [kind, chain]);
    expect(kinds).toEqual([
      ['NOT_RECORDED', 0],
      ['SEAL_MISSING', 0],
      ['INSERTED', clinics[0].clinicId],
    ]);
  });
});

describe('a row outside of all partitions', () => {
  it('is stored in the default partition, measured, and moved when its partition is added', async () => {
    app.clock.set('2031-03-05T10:00:00Z');
    const { status } = await app.call('GET', '/gateway/profile/clinic/session', { token: clinics[0].clinicToken });
    expect(status).toBe(200);
    const gauge = async () =>
      /scheduling_audit_default_partition_entries (\d+)/.exec((await app.call('GET', '/metrics')).text)?.[1];
    expect(await gauge()).toBe('1');
    await seal();
    await retention().ensurePartitions();
    expect(await app.queryRows(sql`select at from only audit_entry_default`)).toEqual([]);
    expect(await partitions()).toContain('audit_entry_203103');
    expect((await verify()).findings).toEqual([]);
  });

  it('cannot be changed or removed through its partition', async () => {
    await request('2026-12-10T10:00:00Z');
    for (const statement of ['delete from', 'truncate']) {
      const changed = app.asSuperuser((em) => (em as SqlEntityManager).execute(`${statement} audit_entry_202612`));
      await expect(changed).rejects.toMatchObject({ code: '42501' });
    }
  });
});
