import { MikroORM } from '@mikro-orm/core';
import { PgliteDriver } from '@mikro-orm/pglite';
import {
  restrictToOwner,
  createRole,
  DATABASE_ROLES,
  allowOwnerToActAsService,
  allowServiceToActAs,
  disableTenantIsolation,
  enableTenantIsolation,
} from './tenant-table.js';

/* Row-level security on test tables. test/security/isolation.e2e-spec.ts checks every table of the service. */

const { login, service, admin, reminders } = DATABASE_ROLES;
/** The owner of the tables. Not a superuser, because policies do not apply to superusers. */
const OWNER = 'owner_of_tables';
const DENIED = { code: '42501' };

let orm: MikroORM<PgliteDriver>;
beforeAll(async () => {
  orm = await MikroORM.init({
    driver: PgliteDriver,
    dbName: 'memory://',
    entities: [],
    discovery: { warnWhenNoEntities: false },
  });
  await as('postgres', ...[...Object.values(DATABASE_ROLES), OWNER].map(createRole));
  await as(
    'postgres',
    `create function current_clinic() returns int language sql as $$ select current_setting('app.clinic')::int $$`,
    `grant create, usage on schema public to ${OWNER}`,
    `grant usage on schema public to ${service}, ${admin}, ${reminders}`,
  );
}, 60_000);
afterAll(() => orm.close());

/** Runs statements for Clinic 1 in one transaction and returns the rows of the last statement. */
function as(role: string, ...statements: string[]): Promise<object[]> {
  return orm.em.fork({ session: { variables: { role, 'app.clinic': '1' } } }).transactional(async (em) => {
    let rows: object[] = [];
    for (const statement of statements) rows = await em.execute(statement);
    return rows;
  });
}

/** Creates a table with one row for each of two Clinics, and then runs the given statements. */
const makeTable = (table: string, ...statements: string[]) =>
  as(
    OWNER,
    `create table ${table} (id int, clinic_id int)`,
    `insert into ${table} values (1, 1), (2, 2)`,
    ...statements,
  );
const idsIn = (table: string) => `select id from ${table} order by id`;
const securityOf = (table: string) =>
  as(
    'postgres',
    `select relrowsecurity as on, relforcerowsecurity as forced,
      (select count(*)::int from pg_policy where polrelid = pg_class.oid) as policies from pg_class where relname = '${table}'`,
  );

describe('the roles', () => {
  it('are created if they are missing, cannot log in, and inherit nothing', async () => {
    for (const role of Object.values(DATABASE_ROLES)) await as('postgres', createRole(role));
    const rows = await as(
      'postgres',
      `select rolname from pg_roles
        where rolname like 'scheduling%' and not (rolcanlogin or rolinherit or rolsuper or rolbypassrls) order by 1`,
    );
    expect(rows).toEqual(
      ['admin', 'app', 'audit', 'maintenance', 'monitoring', 'reminders', 'service', 'system'].map((name) => ({
        rolname: `scheduling_${name}`,
      })),
    );
  });

  it('can be set by the service role only, and the service role by the migrating owner', async () => {
    await as('postgres', allowServiceToActAs(service, admin), allowOwnerToActAsService());
    const members = await as(
      'postgres',
      `select member::regrole::text, roleid::regrole::text as role from pg_auth_members
        where roleid::regrole::text like 'scheduling%' order by 2`,
    );
    expect(members).toEqual([
      { member: login, role: admin },
      { member: 'postgres', role: login },
      { member: login, role: service },
    ]);
  });
});

describe('a tenant table', () => {
  beforeAll(() => makeTable('note', ...enableTenantIsolation('note')));

  it('shows requests the rows of their Clinic', async () => {
    expect(await as(service, idsIn('note'))).toEqual([{ id: 1 }]);
    expect(await as(service, 'update note set id = id returning id')).toEqual([{ id: 1 }]);
    expect(await as(service, 'delete from note where clinic_id = 2 returning id')).toEqual([]);
  });

  it("accepts only rows of the caller's Clinic", async () => {
    await as(service, 'insert into note values (3, 1)');
    expect(await as(service, 'delete from note where id = 3 returning id')).toEqual([{ id: 3 }]);
    await expect(as(service, 'insert into note values (4, 2)')).rejects.toMatchObject(DENIED);
    await expect(as(service, 'update note set clinic_id = 2')).rejects.toMatchObject(DENIED);
  });

  it('is closed to all other roles, and open to its owner', async () => {
    for (const role of [login, admin, reminders]) await expect(as(role, idsIn('note'))).rejects.toMatchObject(DENIED);
    expect(await as(OWNER, idsIn('note'))).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await securityOf('note')).toEqual([{ on: true, forced: true, policies: 2 }]);
  });

  it('grants only the given rights', async () => {
    await makeTable('entry', ...enableTenantIsolation('entry', 'select'));
    expect(await as(service, idsIn('entry'))).toEqual([{ id: 1 }]);
    await expect(as(service, 'insert into entry values (3, 1)')).rejects.toMatchObject(DENIED);
  });

  it("uses the given condition for the caller's rows", async () => {
    await makeTable('place', ...enableTenantIsolation('place', 'select', 'id = (select current_clinic()) + 1'));
    expect(await as(service, idsIn('place'))).toEqual([{ id: 2 }]);
  });

  it('can be reverted', async () => {
    await makeTable('past', ...enableTenantIsolation('past'), ...disableTenantIsolation('past'));
    await expect(as(service, idsIn('past'))).rejects.toMatchObject(DENIED);
    expect(await securityOf('past')).toEqual([{ on: false, forced: false, policies: 0 }]);
    expect(await as(OWNER, idsIn('past'))).toEqual([{ id: 1 }, { id: 2 }]);
  });
});

it('a table restricted to its owner shows no rows to a role without a policy', async () => {
  await makeTable('safe', ...restrictToOwner('safe'), `grant select on safe to ${service}`);
  expect(await as(service, idsIn('safe'))).toEqual([]);
  expect(await as(OWNER, idsIn('safe'))).toEqual([{ id: 1 }, { id: 2 }]);
  expect(await securityOf('safe')).toEqual([{ on: true, forced: true, policies: 1 }]);
});
