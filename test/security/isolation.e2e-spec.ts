import { MikroORM, type EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { decodeJwt, SignJWT } from 'jose';
import { sql, type RawBuilder } from 'kysely';
import { Scheduler } from '../../src/scheduler/index.js';
import {
  Distribution,
  forkForActor,
  getLoginRole,
  SHARED_LOGIN_ROLE,
  DISTRIBUTION_BOOKKEEPING_TABLES,
  toDatabaseSession,
  type Actor,
} from '../../src/shared/persistence/index.js';
import { fillTables } from '../support/contract/filled-tables.js';
import { TestTenant } from '../support/contract/tenant.js';
import { isDistributed, itOnOneServer } from '../support/database/one-server-tests.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { TEST_JWT_SECRET, TestApp } from '../support/app/test-app.js';

/*
 * Tests row-level security, the second protection of tenants besides the condition on the Clinic in every query. The
 * statements of these tests have no such condition.
 */

let app: TestApp;
let own: TestTenant;
let foreign: TestTenant;
let tables: string[];
beforeAll(async () => {
  app = await TestApp.start();
  // On a distributed database, statements without a Clinic reach all servers.
  const { transactionSettings } = Distribution.of(app.nest.get(MikroORM).config);
  transactionSettings['citus.multi_task_query_log_level'] = 'off';
  [own, foreign] = [await TestTenant.create(app), await TestTenant.create(app)];
  // Stops the job, because the tests read the replanning requests.
  await app.nest.get(Scheduler).stop('reminder-replanning');
  for (const tenant of [own, foreign]) await fillTables(tenant);
  const rows = await app.queryRows(sql<{ table: string }>`
    select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'clinic_id'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      -- A row of it would let the database refuse all changes of the Clinic (test/cli/move-clinic.pg-spec.ts).
      and c.relname <> 'clinic_move' order by 1`);
  tables = rows.map(({ table }) => table);
});
afterAll(() => app.stop());

/** Returns the EntityManager of the application without the types that require a Clinic. */
const as = (actor: Actor): EntityManager => forkForActor(app.nest.get(MikroORM).em as EntityManager, actor);

function rowsAs<Row>(actor: Actor, statement: RawBuilder<Row>): Promise<Row[]> {
  return as(actor).transactional(async (em) => {
    const { rows } = await statement.execute((em as SqlEntityManager).getKysely());
    return rows;
  });
}

const principals = ({ fixture }: TestTenant): Actor[] => {
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
    select clinic_id, count(*)::int as rows from ${sql.table(table)} group by clinic_id order by clinic_id`;

describe('without a filter in the application', () => {
  it('has rows of both Clinics in every tenant table', async () => {
    expect(tables.length).toBeGreaterThanOrEqual(12);
    for (const table of tables) {
      const clinics = (await app.queryRows(clinicsIn(table))).map(({ clinic_id: id }) => Number(id));
      expect([table, clinics]).toEqual([
        table,
        expect.arrayContaining([own.fixture.clinicId, foreign.fixture.clinicId]),
      ]);
    }
  });

  it('every tenant table has forced row-level security', async () => {
    const open = await app.queryRows(sql<{ table: string }>`
      select relname as table from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and (relname = any(${[...tables, 'clinic']}) and not (relrowsecurity and relforcerowsecurity))`);
    expect(open).toEqual([]);
  });

  // A policy has one condition for the rows that are found, and one for those that are stored. It can be for all roles.
  it('every policy of requests compares rows with what the transaction has set, without a query', async () => {
    const policies = await app.queryRows(sql<{ table: string; condition: string }>`
      select tablename as table, condition from pg_policies
        cross join lateral (values (qual), (with_check)) as conditions (condition)
      where schemaname = 'public' and roles && array['scheduling_service', 'public']::name[]
        and policyname <> 'catalogue' and condition is not null`);
    expect(policies.length).toBeGreaterThan(tables.length);
    for (const { table, condition } of policies) {
      const setting = table === 'idempotency_key' ? 'app.caller' : 'app.clinic_id';
      expect([table, condition]).toEqual([table, expect.stringContaining(`current_setting('${setting}'::text, true)`)]);
      expect([table, condition]).toEqual([table, expect.not.stringMatching(/select/i)]);
    }
  });

  it('every other table is listed as one without tenant data', async () => {
    const others = await app.queryRows(sql<{ table: string }>`
      select relname as table from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and not relrowsecurity order by 1`);
    const listed = isDistributed ? [...TABLES_OF_NOBODY, ...DISTRIBUTION_BOOKKEEPING_TABLES].sort() : TABLES_OF_NOBODY;
    expect(others.map(({ table }) => table)).toEqual(listed);
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
          // Only Books of the shared catalogue have no Clinic.
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
        // Either no row is found, or the role has no privilege for the statement.
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
    // Citus refuses each change of the column by which rows are distributed.
    const code = isDistributed && how === 'update' ? '0A000' : '42501';
    await expect(rowsAs(principals(own)[0]!, statement)).rejects.toMatchObject({ code });
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
      { role: 'OPT_OUT_LINK', secretHash: 'none' },
    ];
    for (const actor of nobody) {
      for (const table of tables) {
        const seen = (await rowsAs(actor, clinicsIn(table))).filter(({ clinic_id: id }) => id !== null);
        expect([actor.role, table, seen]).toEqual([actor.role, table, []]);
      }
    }
  });

  it('that has not set its Clinic sees nothing, and stores nothing', async () => {
    for (const table of [...tables, 'clinic']) {
      const condition = table === 'book' ? sql`where clinic_id is not null` : sql``;
      const seen = await rowsAs({ role: 'NOBODY' }, sql`select 1 from ${sql.table(table)} ${condition}`);
      expect([table, seen]).toEqual([table, []]);
    }
    const insert = sql`
      insert into care_provider (clinic_id, name, active, created_at)
      values (${own.fixture.clinicId}, 'X', true, now())`;
    await expect(rowsAs({ role: 'NOBODY' }, insert)).rejects.toMatchObject({ code: '42501' });
  });

  it('has the Clinic of its actor, also once it is remembered', async () => {
    const id = String(own.fixture.clinicId);
    for (const actor of principals(own)) {
      for (const again of [false, true]) {
        const [setting] = await rowsAs(actor, sql<{ id: string }>`select current_setting('app.clinic_id') as id`);
        expect([actor.role, again, setting]).toEqual([actor.role, again, { id }]);
      }
      const { variables } = toDatabaseSession(app.nest.get(MikroORM).em, actor);
      expect([actor.role, variables['app.clinic_id']]).toEqual([actor.role, id]);
    }
  });

  itOnOneServer(
    'of an instance of the previous release, which sets the caller, sees the rows of its Clinic',
    async () => {
      const { clinicId, clientIds } = own.fixture;
      const variables = { role: 'scheduling_service', 'app.caller_kind': 'CLIENT', 'app.caller_id': `${clientIds[0]}` };
      const fork = (app.nest.get(MikroORM).em as EntityManager).fork({ session: { variables } });
      const seen = await fork.transactional(
        async (em) => (await clinicsIn('client').execute((em as SqlEntityManager).getKysely())).rows,
      );
      expect(seen.map(({ clinic_id: id }) => Number(id))).toEqual([clinicId]);
    },
  );

  it('has the Clinic of its actor, whatever its request contains', async () => {
    const { clinicId } = own.fixture;
    const other = String(foreign.fixture.clinicId);
    const forged = `', true), set_config('app.clinic_id', '${other}', true), set_config('x`;
    const values: string[] = [];
    const untap = await interceptStatements(app, {
      before: (text) => {
        if (/set_config\(|set local app/.test(text)) values.push(...readClinics(text));
      },
    });
    const token = await new SignJWT({ sub: forged, role: 'CLINIC', clinicId })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(Buffer.from(TEST_JWT_SECRET));
    const headers = { 'app.clinic_id': other, 'idempotency-key': forged };
    try {
      const query = `?app.clinic_id=${other}&clinicId=${other}`;
      const hostile = { ...headers, 'acting-role': forged };
      await app.call('GET', `/gateway/profile/clinic/client${query}`, { token, headers: hostile });
      const { text } = await app.call('GET', '/gateway/profile/clinic/client', { token });
      expect([text.includes(own.marker), text.includes(foreign.marker)]).toEqual([true, false]);
      const body = { planName: forged, clinicId: foreign.fixture.clinicId };
      await app.call('POST', '/gateway/profile/clinic/design-plan', { token, headers, body });
      for (const secret of [forged, '?', other]) await app.call('GET', `/calendar/${encodeURIComponent(secret)}.ics`);
    } finally {
      untap();
    }
    expect(values).toContain(`'${clinicId}'`);
    // On a distributed database, the Clinic of an unknown link is looked up first, and is empty.
    const allowed = [`'${clinicId}'`, LOOK_UP, ...(isDistributed ? [`''`] : [])];
    expect(values.filter((value) => !allowed.includes(value))).toEqual([]);
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

  it('of an administrator or of a job adds no audit entry of another actor or Clinic', async () => {
    const { clinicId } = own.fixture;
    const entry = (role: string, of: number | null) => sql`
      insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, outcome)
      values (${of}::bigint, now(), ${role}, 'WRITE', 'GET /forged', '{}', 0, gen_random_uuid(), 'OK')`;
    // An administrator adds their own entries to the trail of a Clinic with an access or a request to erase it, and no others.
    const [opened, erased] = [await app.createClinic(), await app.createClinic()];
    const token = await app.createToken('ADMIN');
    const admin: Actor = { role: 'ADMIN', subject: decodeJwt(token).sub! };
    const body = { clinicId: opened.clinicId, reason: 'Ticket 4711' };
    expect((await app.call('POST', '/gateway/admin/administrator-access', { token, body })).status).toBe(201);
    const erasure = { token, body: { reason: 'SUBJECT_REQUEST' } };
    expect((await app.call('POST', `/gateway/admin/clinic/${erased.clinicId}/erasure`, erasure)).status).toBe(201);
    const forged: [Actor, RawBuilder<unknown>][] = [
      [{ role: 'ADMIN', subject: 'x' }, entry('ADMIN', clinicId)],
      [admin, entry('CLINIC', opened.clinicId)],
      [admin, entry('CLINIC', erased.clinicId)],
      [{ role: 'SYSTEM' }, entry('CLINIC', clinicId)],
      [{ role: 'AUDIT' }, entry('COMMAND', clinicId)],
      [{ role: 'AUDIT' }, entry('SYSTEM', null)],
    ];
    for (const [actor, statement] of forged) {
      await expect(rowsAs(actor, statement)).rejects.toThrow('row-level security');
    }
  });

  it('of the service itself removes no Book of the catalogue', async () => {
    const remove = sql`delete from book where id = ${own.fixture.sharedBookId} returning 1`;
    expect(await rowsAs({ role: 'SYSTEM' }, remove)).toEqual([]);
  });

  it.each([
    ['idempotency_key', 'expires_at', sql`now() + interval '1 hour'`],
    ['opt_out_link', 'expires_at', sql`now() + interval '1 hour'`],
    ['revoked_token_holder', 'expires_at', sql`now() + interval '1 hour'`],
    ['hidden_session', 'hidden_at', sql`now() - interval '29 days'`],
    ['removed_homework', 'removed_at', sql`now() - interval '29 days'`],
    ['removed_session', 'removed_at', sql`now() - interval '29 days'`],
  ])('of the job that removes expired rows of %s sees none that have not expired', async (table, column, live) => {
    await app.call('POST', '/gateway/profile/clinic/client', {
      ...{ token: own.fixture.clinicToken, body: { name: 'Keyed' }, headers: { 'idempotency-key': `key-${table}` } },
    });
    const setTime = (time: RawBuilder<unknown>) =>
      app.queryRows(sql`update ${sql.table(table)} set ${sql.ref(column)} = ${time}`);
    const seen = () => rowsAs({ role: 'MAINTENANCE' }, sql`select 1 from ${sql.table(table)}`);
    await setTime(live);
    expect(await seen()).toEqual([]);
    await setTime(sql`now() - interval '31 days'`);
    expect((await seen()).length).toBeGreaterThan(0);
    await setTime(live);
  });

  it('leaves no state of its caller on the connection', async () => {
    await rowsAs(principals(own)[0]!, sql`select 1`);
    const connection = app.nest.get(MikroORM).em.fork().getConnection();
    const [left] = await connection.execute<object[]>(
      `select current_user::text as role, nullif(current_setting('app.caller_id', true), '') as id,
        nullif(current_setting('app.clinic_id', true), '') as clinic`,
    );
    const { database } = app.environment;
    const role = database.kind === 'postgresql' ? getLoginRole(database, 'requests') : SHARED_LOGIN_ROLE;
    expect(left).toEqual({ role, id: null, clinic: null });
  });
});

/** The embedded database has one connection; on PostgreSQL, the pool is limited to one. */
it("1,000 requests of two Clinics over one connection return only rows of the caller's Clinic", async () => {
  const { database, encryption } = app.environment;
  const narrow = await TestApp.start(
    database.kind === 'postgresql' ? { database: { ...database, poolSize: 1 }, encryption } : {},
  );
  try {
    const tenants = [await TestTenant.create(narrow), await TestTenant.create(narrow)];
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
});

async function inTurns<T>(count: number, width: number, work: (turn: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) results.push(await work(next++));
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

const LOOK_UP = `coalesce(current_clinic()::text, '')`;
/** Returns the values of the Clinic in a statement that sets session variables. Ignores text within quoted values. */
function readClinics(text: string): string[] {
  const settings = text.matchAll(/set_config\('((?:[^']|'')*)', ((?:[^,']|'(?:[^']|'')*')+(?:, ''\))?), true\)/g);
  const configured = [...settings].flatMap(([, name, value]) => (name === 'app.clinic_id' ? [value!] : []));
  // On a distributed database, the Clinic is set by a statement of its own.
  const own = [...text.matchAll(/set local app\.clinic_id = (.*)$/g)].map(([, value]) => value!);
  return [...configured, ...own];
}

const TABLES_OF_NOBODY = [
  ...['encryption_key_store', 'instance', 'rate_limit_count', 'revoked_token', 'schema_migration', 'zone_data'],
];
/** Tables of which administrators may read rows. These tables also contain rows without a Clinic. */
const OPEN_TO_ADMINISTRATORS = ['administrator_access', 'erasure', 'audit_entry', 'book', 'revoked_token_holder'];
