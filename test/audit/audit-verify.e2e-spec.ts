import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import {
  AuditSealer,
  AuditVerifier,
  parseChainHeads,
  formatChainHead,
  type AuditFinding,
  type ChainHead,
} from '../../src/audit/index.js';
import { forkForActor, type Actor } from '../../src/shared/persistence/index.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests that the service cannot change the audit trail, and that the verification finds changes by a superuser. */

let app: TestApp;
let clinic: ClinicFixture;
/** IDs of the Clinic's entries, which are in two blocks. */
let ids: number[];
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  clinic = await app.createClinic();
  await read(3);
  await seal();
  await read(3);
  await seal();
  ids = await entryIds();
});
/** Deletes the entries that a test has created. */
afterEach(async () => {
  for (const table of ['audit_entry', 'audit_seal', 'audit_unsealed']) await tamper(table, `delete from ${table}`);
});

async function read(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const { status } = await app.call('GET', '/gateway/profile/clinic/session', { token: clinic.clinicToken });
    expect(status).toBe(200);
  }
}

const ENTRY_COLUMNS =
  'clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome';

async function insertEntries(count: number): Promise<void> {
  await app.asSuperuser((em) =>
    (em as SqlEntityManager).execute(`
      insert into audit_entry (${ENTRY_COLUMNS}) select ${clinic.clinicId}, now(), 'CLINIC', 'READ', 'o', '{}', 0,
        gen_random_uuid(), 'a', 'OK' from generate_series(1, ${count})`),
  );
}

const seal = () => app.nest.get(AuditSealer).seal();

async function entryIds(): Promise<number[]> {
  const rows = await app.queryRows(
    sql<{ id: number | string }>`select id from audit_entry where clinic_id is not null order by id`,
  );
  return rows.map(({ id }) => Number(id));
}

/** Runs statements with triggers disabled, as only a superuser can. */
async function tamper(table: string, ...statements: string[]): Promise<void> {
  await app.asSuperuser(async (em) => {
    for (const statement of [
      `alter table ${table} disable trigger all`,
      ...statements,
      `alter table ${table} enable trigger all`,
    ]) {
      await (em as SqlEntityManager).execute(statement);
    }
  });
}

async function verify(kept: ChainHead[] = [], overdueMinutes = 5) {
  const findings: AuditFinding[] = [];
  const verifier = new AuditVerifier(app.nest.get(MikroORM).em, (finding) => findings.push(finding));
  const verdict = await verifier.verify(app.clock.now().subtract({ minutes: overdueMinutes }), kept);
  expect(verdict.findings).toBe(findings.length);
  return { ...verdict, findings };
}

const chainOf = () => clinic.clinicId;

describe('an entry', () => {
  const actors: [string, (fixture: ClinicFixture) => Actor][] = [
    ['a Clinic', ({ clinicId }) => ({ role: 'CLINIC', subject: 'c', clinicId })],
    ['an administrator', () => ({ role: 'ADMIN', subject: 'a' })],
    ['the dispatch of reminders', () => ({ role: 'REMINDERS' })],
    ['the sealer', () => ({ role: 'AUDIT' })],
    ['a caller without a token', () => ({ role: 'NOBODY' })],
  ];
  const changes = ['update audit_entry set outcome = $$403$$', 'delete from audit_entry', 'truncate audit_entry'];
  const inSeals = changes.map((change) => change.replace('audit_entry', 'audit_seal').replace('outcome', 'hash'));

  it.each(actors)('cannot be changed by %s', async (_, actorOf) => {
    const em = forkForActor(app.nest.get(MikroORM).em, actorOf(clinic));
    for (const change of [
      ...changes,
      ...inSeals,
      'truncate audit_unsealed',
      'update audit_unsealed set entry_id = 1',
    ]) {
      const changed = em.transactional((own) => (own as unknown as SqlEntityManager).execute(change));
      await expect(changed).rejects.toMatchObject({ code: '42501' });
    }
    expect(await entryIds()).toEqual(ids);
  });

  it('cannot be changed by the owner of the table unless its triggers are removed', async () => {
    for (const change of [...changes, ...inSeals]) {
      const changed = app.asSuperuser((em) => (em as SqlEntityManager).execute(change));
      await expect(changed).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('of one Clinic cannot be written or read by another', async () => {
    const other = await app.createClinic();
    const em = forkForActor(app.nest.get(MikroORM).em, { role: 'CLINIC', subject: 'c', clinicId: other.clinicId });
    const run = <Row>(statement: string) =>
      em.transactional((own) => (own as unknown as SqlEntityManager).execute<Row[]>(statement));
    expect(await run('select id from audit_entry')).toEqual([]);
    const insert = `insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id,
      address, outcome) values (${clinic.clinicId}, now(), 'CLINIC', 'READ', 'o', '{}', 0, gen_random_uuid(), 'a', 'OK')`;
    await expect(run(insert)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('the sealer', () => {
  it('seals each entry once, in a chain of blocks', async () => {
    const seals = await app.queryRows(
      sql<Record<string, unknown>>`select number, previous_hash, hash, entry_ids from audit_seal order by number`,
    );
    expect(seals.map(({ number }) => number)).toEqual([1, 2]);
    expect(seals[1]!['previous_hash']).toBe(seals[0]!['hash']);
    expect(seals.flatMap(({ entry_ids }) => (entry_ids as number[]).map(Number))).toEqual(ids);
    expect(await seal()).toBe(0);
  });

  it('keeps one chain for each Clinic, and one for entries without a Clinic', async () => {
    const other = await app.createClinic();
    await app.call('GET', '/gateway/profile/clinic/session', { token: other.clinicToken });
    await app.call('GET', '/gateway/profile/clinic/session');
    expect(await seal()).toBe(2);
    const { heads, findings } = await verify();
    expect([heads.map(({ chain, number }) => [chain, number]), findings]).toEqual([
      [
        [0, 1],
        [clinic.clinicId, 2],
        [other.clinicId, 1],
      ],
      [],
    ]);
  });

  it('seals each entry once if several instances seal at the same time', async () => {
    await read(5);
    const sealed = await Promise.all(Array.from({ length: 5 }, () => seal()));
    expect(sealed.reduce((sum, one) => sum + one)).toBe(5);
    expect((await verify()).findings).toEqual([]);
  });
});

describe('verification', () => {
  it('passes, and returns the heads', async () => {
    const { entries, seals, findings, heads } = await verify();
    expect([entries, seals, findings]).toEqual([6, 2, []]);
    expect(heads).toEqual([{ chain: chainOf(), number: 2, hash: expect.stringMatching(/^[\da-f]{64}$/) }]);
    expect(parseChainHeads(heads.map(formatChainHead).join('\n'))).toEqual(heads);
  });

  it.each([
    ...[
      `actor_id = 99`,
      `actor_subject = 'other'`,
      `outcome = '403'`,
      `records = '{client/1}'`,
      `address = '127.0.0.2'`,
    ],
    ...[`at = at + interval '1 ms'`, `clinic_id = null`, `operation = 'GET /'`, `access = 'WRITE'`],
    ...[`actor_role = 'CLIENT'`, `record_count = 7`, `request_id = gen_random_uuid()`],
  ])('names the one entry whose %s was changed with superuser rights', async (change) => {
    await tamper('audit_entry', `update audit_entry set ${change} where id = ${ids[1]}`);
    expect((await verify()).findings).toEqual([{ kind: 'CHANGED', chain: chainOf(), entryId: ids[1], seal: 1 }]);
  });

  it('names the one entry that was deleted', async () => {
    await tamper('audit_entry', `delete from audit_entry where id = ${ids[4]}`);
    expect((await verify()).findings).toEqual([{ kind: 'MISSING', chain: chainOf(), entryId: ids[4], seal: 2 }]);
  });

  it('names an entry that was changed along with its hash in the block', async () => {
    await tamper('audit_entry', `update audit_entry set outcome = '403' where id = ${ids[1]}`);
    const hash = 'f'.repeat(64);
    await tamper('audit_seal', `update audit_seal set entry_hashes[2] = '${hash}' where number = 1`);
    expect((await verify()).findings).toEqual([
      { kind: 'SEAL_CHANGED', chain: chainOf(), seal: 1 },
      { kind: 'CHANGED', chain: chainOf(), entryId: ids[1], seal: 1 },
    ]);
  });

  it('finds a missing block, and names its entries', async () => {
    await tamper('audit_seal', `delete from audit_seal where number = 1`);
    expect((await verify()).findings).toEqual([
      { kind: 'SEAL_MISSING', chain: chainOf(), seal: 2 },
      ...ids.slice(0, 3).map((entryId) => ({ kind: 'INSERTED', chain: chainOf(), entryId })),
    ]);
  });

  it('finds blocks whose order was changed', async () => {
    await tamper(
      'audit_seal',
      `update audit_seal set number = 3 where number = 1`,
      `update audit_seal set number = 1 where number = 2`,
      `update audit_seal set number = 2 where number = 3`,
    );
    const found = (await verify()).findings.map(({ kind, seal: number }) => [kind, number]);
    expect(found).toEqual([
      ['SEAL_CHANGED', 1],
      ['SEAL_MISSING', 1],
      ['SEAL_CHANGED', 2],
      ['SEAL_MISSING', 2],
    ]);
  });

  it('finds an entry that was inserted without the trigger', async () => {
    await tamper(
      'audit_entry',
      `insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address,
        outcome) values (${clinic.clinicId}, now(), 'CLINIC', 'READ', 'o', '{}', 0, gen_random_uuid(), 'a', 'OK')`,
    );
    const inserted = (await entryIds()).at(-1);
    expect((await verify()).findings).toEqual([{ kind: 'INSERTED', chain: chainOf(), entryId: inserted }]);
  });

  it('finds an entry that was inserted with the ID of a sealed one, and another time', async () => {
    await tamper(
      'audit_entry',
      `insert into audit_entry (id, clinic_id, at, actor_role, access, operation, records, record_count, request_id, address,
        outcome) overriding system value select id, clinic_id, at - interval '1 day', 'CARE_PROVIDER', 'READ', 'o',
        '{client/1}', 1, gen_random_uuid(), 'a', 'OK' from audit_entry where id = ${ids[1]}`,
    );
    expect((await verify()).findings).toEqual([{ kind: 'INSERTED', chain: chainOf(), entryId: ids[1] }]);
  });

  it('finds inserted entries in a trail that is read in parts, also at their edge', async () => {
    await insertEntries(10_500);
    await seal();
    const all = await entryIds();
    const repeated = all[9_999]!;
    await tamper(
      'audit_entry',
      `insert into audit_entry (id, ${ENTRY_COLUMNS}) overriding system value
        select id, clinic_id, at - interval '1 day', 'CLIENT', 'READ', 'o', '{}', 0, gen_random_uuid(), 'a', 'OK'
        from audit_entry where id = ${repeated}`,
      `insert into audit_entry (${ENTRY_COLUMNS}) values
        (${clinic.clinicId}, now(), 'CLINIC', 'READ', 'o', '{}', 0, gen_random_uuid(), 'a', 'OK')`,
    );
    const added = (await entryIds()).at(-1);
    expect((await verify()).findings).toEqual(
      [repeated, added].map((entryId) => ({ kind: 'INSERTED', chain: chainOf(), entryId })),
    );
  });

  it('knows entries that are sealed meanwhile, also those of a new Clinic', async () => {
    const verifier = new AuditVerifier(app.nest.get(MikroORM).em, () => undefined);
    const verifyUnsealed = verifier['verifyUnsealed'].bind(verifier);
    verifier['verifyUnsealed'] = async (overdue) => {
      const other = await app.createClinic();
      for (const { clinicToken: token } of [clinic, other])
        await app.call('GET', '/gateway/profile/clinic/session', { token });
      expect(await seal()).toBe(2);
      return verifyUnsealed(overdue);
    };
    expect((await verifier.verify(app.clock.now())).findings).toBe(0);
  });

  it('finds an entry that was not sealed in time, and one that was deleted before it was sealed', async () => {
    await read(2);
    expect((await verify()).findings).toEqual([]);
    app.clock.advance({ minutes: 6 });
    const waiting = (await entryIds()).slice(-2);
    expect((await verify()).findings).toEqual(
      waiting.map((entryId) => ({ kind: 'NOT_SEALED', entryId, chain: chainOf() })),
    );
    await tamper('audit_entry', `delete from audit_entry where id = ${waiting[0]}`);
    expect(await seal()).toBe(1);
    expect((await verify()).findings).toEqual([{ kind: 'MISSING', entryId: waiting[0] }]);
  });

  it('does not seal an entry whose time was changed before, and reports it', async () => {
    for (let minute = 0; minute < 3; minute += 1) {
      await read(1);
      app.clock.advance({ minutes: 1 });
    }
    const changed = (await entryIds()).at(-2)!;
    await tamper('audit_entry', `update audit_entry set at = at + interval '1 second' where id = ${changed}`);
    expect(await seal()).toBe(2);
    expect((await verify()).findings).toEqual([{ kind: 'MISSING', entryId: changed }]);
  });

  it('verifies and seals entries within the time limit of a statement while the statistics say that the tables are almost empty', async () => {
    await insertEntries(10_000);
    await app.asSuperuser((em) =>
      (em as SqlEntityManager).execute(`
        update pg_class set relpages = 162, reltuples = case relname when 'audit_unsealed' then 6 else 0 end
        where relname = 'audit_unsealed' or oid = (select tableoid from audit_entry limit 1)`),
    );
    expect((await verify()).findings).toEqual([]);
    expect(await seal()).toBe(10_000);
  });

  it('seals entries behind a thousand that were deleted before they were sealed', async () => {
    await insertEntries(1_000);
    await tamper('audit_entry', `delete from audit_entry where id > ${ids.at(-1)!}`);
    await insertEntries(2);
    expect(await seal()).toBe(2);
    expect(await seal()).toBe(0);
    expect((await verify()).findings.map(({ kind }) => kind)).toEqual(Array(1_000).fill('MISSING'));
  });

  it('finds with an earlier head that the end of a chain was removed', async () => {
    const { heads } = await verify();
    await read(1);
    await seal();
    expect((await verify(heads)).findings).toEqual([]);
    await tamper('audit_seal', `delete from audit_seal where number >= 2`);
    await tamper('audit_entry', `delete from audit_entry where id >= ${ids[3]}`);
    expect((await verify()).findings).toEqual([]);
    expect((await verify(heads)).findings).toEqual([{ kind: 'HEAD_MISMATCH', chain: chainOf(), seal: 2 }]);
    await tamper('audit_seal', `delete from audit_seal`);
    await tamper('audit_entry', `delete from audit_entry`);
    expect((await verify(heads)).findings).toEqual([{ kind: 'HEAD_MISMATCH', chain: chainOf(), seal: 2 }]);
  });
});
