import { MikroORM, type EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { Scheduler } from '../../src/scheduler/index.js';
import { forkForActor, type Actor } from '../../src/shared/persistence/index.js';
import { Tenant } from '../support/contract/tenant.js';
import { TestApp } from '../support/app/test-app.js';

/*
 * The second of two fences: what the database shows when the first, the Clinic in every look-up, is taken away. The
 * statements here name no Clinic at all.
 */

let app: TestApp;
let own: Tenant;
let foreign: Tenant;
let tables: string[];
beforeAll(async () => {
  app = await TestApp.start();
  [own, foreign] = [await Tenant.create(app), await Tenant.create(app)];
  // Its requests are to stay, to be looked at.
  await app.nest.get(Scheduler).stop('reminder-replanning');
  for (const tenant of [own, foreign]) await fillUp(tenant);
  const rows = await app.queryRows(sql<{ table: string }>`
    select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'clinic_id'
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`);
  tables = rows.map(({ table }) => table);
}, 60_000);
afterAll(() => app.stop());

/** What a Tenant does not have from the start. */
async function fillUp({ fixture }: Tenant): Promise<void> {
  const caregiver = { token: fixture.careProviderToken };
  await app.call('POST', '/gateway/profile/caregiver/calendar-link', { ...caregiver, body: {} });
  const preference = { quietHours: { from: '21:00', to: '08:00' } };
  await app.call('PUT', '/gateway/profile/caregiver/reminder-preference', { ...caregiver, body: preference });
  const own = { token: fixture.clinicToken, body: preference };
  await app.call('PUT', '/gateway/profile/clinic/reminder-preference', own);
  // After the assignment ends, the first Care Provider can no longer see the Session of the second.
  const [clientId, [careProviderId, colleagueId]] = [fixture.clientIds[2], fixture.careProviderIds];
  const token = await app.createToken('CARE_PROVIDER', colleagueId);
  const body = { clientId, title: 'T', date: '2027/03/01', time: '09:30' };
  await app.call('POST', '/gateway/profile/caregiver/session', { token, body });
  const assignment = `/gateway/profile/clinic/client/${clientId}/care-provider/${careProviderId}`;
  for (const method of ['PUT', 'DELETE']) await app.call(method, assignment, { token: fixture.clinicToken });
}

/** The EntityManager of the application, without the types that require a Clinic. */
const as = (actor: Actor): EntityManager => forkForActor(app.nest.get(MikroORM).em as EntityManager, actor);

function rowsAs<Row>(actor: Actor, statement: RawBuilder<Row>): Promise<Row[]> {
  return as(actor).transactional(async (em) => {
    const { rows } = await statement.execute((em as SqlEntityManager).getKysely());
    return rows;
  });
}

const principals = ({ fixture }: Tenant): Actor[] => {
  const subject = 'test';
  const [caregiverId] = fixture.careProviderIds;
  return [
    { role: 'CLINIC', subject, clinicId: fixture.clinicId },
    { role: 'CARE_PROVIDER', subject, caregiverId },
    { role: 'CLIENT', subject, clientId: fixture.clientIds[0] },
  ];
};

const clinicsIn = (table: string) =>
  sql<{ clinic_id: string | null; rows: number }>`
    select clinic_id, count(*)::int as rows from ${sql.table(table)} group by clinic_id`;

describe('without a filter in the application', () => {
  it('has rows of both Clinics in every table of tenants to look at', async () => {
    expect(tables.length).toBeGreaterThanOrEqual(12);
    for (const table of tables) {
      const clinics = (await app.queryRows(clinicsIn(table))).map(({ clinic_id: id }) => Number(id));
      expect([table, clinics]).toEqual([
        table,
        expect.arrayContaining([own.fixture.clinicId, foreign.fixture.clinicId]),
      ]);
    }
  });

  it('every table of tenants is under forced row-level security', async () => {
    const open = await app.queryRows(sql<{ table: string }>`
      select relname as table from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and (relname = any(${[...tables, 'clinic']}) and not (relrowsecurity and relforcerowsecurity))`);
    expect(open).toEqual([]);
  });

  it('every other table is one that is known to hold nothing of a Clinic', async () => {
    const others = await app.queryRows(sql<{ table: string }>`
      select relname as table from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and not relrowsecurity order by 1`);
    expect(others.map(({ table }) => table)).toEqual(TABLES_OF_NOBODY);
  });

  it('a caller of any role sees rows of their own Clinic and none of another', async () => {
    for (const tenant of [own, foreign]) {
      const clinicId = String(tenant.fixture.clinicId);
      for (const actor of principals(tenant)) {
        for (const table of tables) {
          const seen = await rowsAs(actor, clinicsIn(table));
          const strange = seen.filter(({ clinic_id: id }) => String(id) !== clinicId && id !== null);
          expect([table, actor.role, strange]).toEqual([table, actor.role, []]);
          expect([table, seen.some(({ clinic_id: id }) => String(id) === clinicId)]).toEqual([table, true]);
          // Without a Clinic is the shared catalogue, and nothing else.
          if (table !== 'book') expect(seen.filter(({ clinic_id: id }) => id === null)).toEqual([]);
        }
        expect(await rowsAs(actor, sql`select id::text from clinic`)).toEqual([{ id: clinicId }]);
      }
    }
  });

  it('no actor changes or removes a row of another Clinic, by any statement', async () => {
    const [actor] = principals(own);
    const { clinicId } = foreign.fixture;
    for (const table of tables) {
      const before = await app.queryRows(clinicsIn(table));
      const name = sql.table(table);
      for (const statement of [
        sql`update ${name} set clinic_id = clinic_id where clinic_id = ${clinicId}`,
        sql`delete from ${name} where clinic_id = ${clinicId}`,
      ]) {
        // Nothing is found, or the role may not do such a thing to this table at all.
        await rowsAs(actor!, statement).catch((error: unknown) => expect(error).toMatchObject({ code: '42501' }));
      }
      expect([table, await app.queryRows(clinicsIn(table))]).toEqual([table, before]);
    }
  });

  it.each(['update', 'insert'])('no actor moves a row into another Clinic by %s', async (how) => {
    const { clinicId } = foreign.fixture;
    const statement =
      how === 'update'
        ? sql`update care_provider set clinic_id = ${clinicId}`
        : sql`insert into care_provider (clinic_id, name, active, created_at) values (${clinicId}, 'X', true, now())`;
    await expect(rowsAs(principals(own)[0]!, statement)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('a transaction', () => {
  it('without an actor cannot read', async () => {
    for (const table of [...tables, 'clinic']) {
      const read = app.nest.get(MikroORM).em.fork().getConnection().execute(`select 1 from ${table}`);
      await expect(read).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('of an absent caller sees nothing', async () => {
    const nobody: Actor[] = [
      { role: 'CLINIC', subject: 'x', clinicId: 999_999_999 },
      { role: 'CARE_PROVIDER', subject: 'x', caregiverId: 999_999_999 },
      { role: 'CLIENT', subject: 'x', clientId: 999_999_999 },
      { role: 'CALENDAR_LINK', secretHash: 'none' },
      { role: 'OPT_OUT_LINK', optOutToken: 'none' },
    ];
    for (const actor of nobody) {
      for (const table of tables) {
        const seen = (await rowsAs(actor, clinicsIn(table))).filter(({ clinic_id: id }) => id !== null);
        expect([actor.role, table, seen]).toEqual([actor.role, table, []]);
      }
    }
  });

  it('of an administrator sees Clinics and the catalogue, and nothing of people', async () => {
    const admin: Actor = { role: 'ADMIN', subject: 'x' };
    expect((await rowsAs(admin, sql`select id from clinic`)).length).toBeGreaterThanOrEqual(2);
    for (const table of OPEN_TO_ADMINISTRATORS) {
      expect(await rowsAs(admin, sql`select id from ${sql.table(table)} where clinic_id is not null`)).toEqual([]);
    }
    for (const table of tables.filter((name) => !OPEN_TO_ADMINISTRATORS.includes(name))) {
      await expect(rowsAs(admin, clinicsIn(table))).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('leaves nothing of its caller behind on the connection', async () => {
    await rowsAs(principals(own)[0]!, sql`select 1`);
    const connection = app.nest.get(MikroORM).em.fork().getConnection();
    const [left] = await connection.execute<object[]>(
      `select current_user::text as role, nullif(current_setting('app.caller_id', true), '') as id`,
    );
    expect(left).toEqual({ role: 'scheduling_app', id: null });
  });
});

/** The embedded database is one connection; a pool of one is what PostgreSQL's world is given. */
it('1,000 requests of two Clinics over one connection answer each its own', async () => {
  const narrow = await TestApp.start(
    app.environment.database.kind === 'postgresql' ? { database: { ...app.environment.database, poolSize: 1 } } : {},
  );
  try {
    const tenants = [await Tenant.create(narrow), await Tenant.create(narrow)];
    const paths = [
      '/gateway/profile/clinic/session',
      '/gateway/profile/clinic/client',
      '/gateway/profile/clinic/design-plan',
    ];
    const answers = await inTurns(1_000, 20, async (turn) => {
      const [mine, other] = turn % 2 === 0 ? tenants : tenants.toReversed();
      const { status, text } = await narrow.call('GET', paths[turn % paths.length]!, {
        token: mine!.fixture.clinicToken,
      });
      return { status, own: text.includes(mine!.marker), foreign: text.includes(other!.marker) };
    });
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 200, own: true, foreign: false })]),
    );
  } finally {
    await narrow.stop();
  }
}, 120_000);

async function inTurns<T>(count: number, width: number, work: (turn: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) results.push(await work(next++));
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

const TABLES_OF_NOBODY = ['instance', 'rate_limit_count', 'revoked_token', 'schema_migration', 'zone_data'];
/** Includes rows without a Clinic. */
const OPEN_TO_ADMINISTRATORS = ['audit_entry', 'book'];
