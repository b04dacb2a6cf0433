import { sql } from 'kysely';
import { DenyList } from '../../src/auth/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { FieldEncryption } from '../../src/shared/persistence/index.js';
import type { TestApp } from '../support/app/test-app.js';
import { buildAssignment, createPlan, readCreatedId } from '../support/app/series-fixtures.js';
import { MovingClinic } from '../support/operations/moving-clinic.js';
import { writeTamperedMove, type MoveAddition } from '../support/operations/tampered-move.js';
import type { CommandResult } from '../support/process/cli-command.js';

/*
 * Data that a Clinic needs outside of its own rows: Books of the shared catalogue, and revocations by administrators.
 * The tests continue each other.
 */

const CLINIC = '/gateway/profile/clinic';
const HOLDER = '/gateway/admin/revoked-token-holder';

let moving: MovingClinic;
let admin: string;
let bookIds: { plan: number; revision: number; unused: number };
/** Tokens that were valid until an administrator revoked them. */
let revoked: { careProvider: string; subject: string; late: string };
let imported: CommandResult;
beforeAll(async () => {
  moving = await MovingClinic.start();
  // A test gives the new installation other time zone data, which this job would replace.
  await moving.target.nest.get(Scheduler).stop('zone-data');
  admin = await moving.old.createToken('ADMIN');
});
afterAll(() => moving.stop());

const createBook = async (title: string) =>
  readCreatedId(await moving.old.call('POST', '/gateway/admin/book', { token: admin, body: { title } }));

async function revoke(body: object): Promise<void> {
  // Tokens of the same second are covered as well.
  const issuedBefore = new Date(Date.now() + 1_000).toISOString();
  const answer = await moving.old.call('POST', HOLDER, { token: admin, body: { ...body, issuedBefore } });
  expect(answer.status).toBe(201);
}

async function createTokens(): Promise<typeof revoked> {
  const { careProviderIds, clientIds } = moving.tenant.fixture;
  return {
    careProvider: await moving.old.createToken('CARE_PROVIDER', careProviderIds[1]),
    subject: await moving.old.createToken('CLIENT', clientIds[1]),
    late: await moving.old.createToken('CLIENT', clientIds[0]),
  };
}

/** Returns the status with which a request with each of the tokens is answered. */
async function readStatuses(app: TestApp): Promise<number[]> {
  const statuses: number[] = [];
  for (const token of [revoked.careProvider, revoked.subject, revoked.late]) {
    const path = token === revoked.careProvider ? 'caregiver' : 'client';
    statuses.push((await app.call('GET', `/gateway/profile/${path}/session`, { token })).status);
  }
  return statuses;
}

it('does not begin to move a Clinic whose audit trail was changed', async () => {
  const { old, tenant } = moving;
  const change = async (suffix: string) => {
    await old.queryRows(sql`alter table audit_entry disable trigger all`);
    await old.queryRows(sql`
      update audit_entry set operation = split_part(operation, '!', 1) || ${suffix} where id = (
        select min(id) from audit_entry where clinic_id = ${tenant.fixture.clinicId})`);
    await old.queryRows(sql`alter table audit_entry enable trigger all`);
  };
  await change('!');
  expect((await moving.exportTo('changed')).stderr).toBe(
    `The audit trail of Clinic ${tenant.fixture.clinicId} has 1 finding(s): run "npm run audit-verify".\n`,
  );
  expect(await old.queryRows(sql`select from clinic_move`)).toEqual([]);
  await change('');
});

it('exports a Clinic whose plans have Books of the catalogue, and whose tokens an administrator has revoked', async () => {
  const { old, tenant } = moving;
  bookIds = {
    revision: await createBook('Only in a revision'),
    plan: await createBook('Only in a plan'),
    unused: await createBook('Unused'),
  };
  const weeksOf = (bookId: number) => [
    { name: 'W', ordering: 1, assignments: [buildAssignment(bookId, [1, '09:00'])] },
  ];
  const planId = await createPlan(old, tenant.fixture, { weeks: weeksOf(bookIds.revision) });
  const path = `${CLINIC}/design-plan/${planId}`;
  const { clinicToken: token } = tenant.fixture;
  const { body, headers } = await old.call('GET', path, { token });
  const replacement = {
    body: { ...body, weeks: weeksOf(bookIds.plan) },
    headers: { 'if-match': headers.get('etag')! },
  };
  expect((await old.call('PUT', path, { token, ...replacement })).status).toBe(200);
  const neighbour = await old.createClinic();
  revoked = await createTokens();
  await revoke({ record: `care-provider/${tenant.fixture.careProviderIds[1]}` });
  await revoke({ record: `care-provider/${neighbour.careProviderIds[0]}` });
  // The subject of the second Client's tokens.
  await revoke({ subject: `client-${tenant.fixture.clientIds[1]}` });
  expect(await readStatuses(old)).toEqual([401, 401, 200]);
  await old.queryRows(sql`
    insert into revoked_token (jti, revoked_at, expires_at) values ('kept', now(), now() + interval '1 day')`);
  await old.queryRows(sql`update book set external_id = 'external' where id = ${bookIds.plan}`);
  // As after an erasure.
  await old.nest.get(FieldEncryption).keys?.destroy([toLastClient()]);
  const preview = await moving.export('--dry-run');
  expect(preview.stdout).toMatch(/^shared catalogue: 3 row\(s\)$/m);
  expect(await moving.exportTo('moved')).toMatchObject({ status: 0, stderr: '' });
});

const toLastClient = () => ({ kind: 'CLIENT', id: moving.tenant.fixture.clientIds[2] }) as const;

it.each([
  [
    'another shared Book with the same id',
    () => createTargetBook(moving.tenant.fixture.sharedBookId, 'Other', null),
    /^Book (\d+) of the shared catalogue collides with Book \1 here\.\n$/,
  ],
  [
    'another shared Book with the same external id',
    () => createTargetBook(2 ** 45, 'Same', 'external'),
    /^Book (\d+) of the shared catalogue collides with Book 35184372088832 here\.\n$/,
  ],
  [
    'other time zone data',
    () => sql`insert into zone_data (version, started_at, finished_at) values ('1999a', now(), now())`,
    /^The time zone data differ: 1999a here, \S+ in the file \(npm run tzdata\)\.\n$/,
  ],
])('is refused by an installation with %s', async (_, build, message) => {
  await moving.target.queryRows(build());
  expect(await moving.importFrom('moved')).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(message) });
  await moving.target.queryRows(sql`delete from book`);
  await moving.target.queryRows(sql`delete from zone_data where version = '1999a'`);
});

const createTargetBook = (id: number, title: string, externalId: string | null) => sql`
  insert into book (id, title, external_id, active, created_at) overriding system value
  values (${id}, ${title}, ${externalId}, true, now())`;

it('is refused if the file is of another release, or has an id that the new installation assigns', async () => {
  const { clinicId } = moving.tenant.fixture;
  // The range of the new installation is 5. It does not assign ids of the next range.
  const [assigned, foreign] = [5 * 2 ** 40 + 7, 6 * 2 ** 40 + 7];
  const toBook = (id: number): MoveAddition => {
    const values = {
      id,
      clinic_id: clinicId,
      title: 'T',
      active: 't',
      created_at: '2026-01-01 00:00:00+00',
      version: 1,
    };
    return { section: 'book', values, isInChecksum: true };
  };
  const results: string[] = [];
  for (const addition of [{ migration: 'Later' }, toBook(assigned), toBook(foreign)]) {
    await writeTamperedMove(moving, addition, `tampered-${results.length}`);
    const { stdout, stderr } = await moving.importFrom(`tampered-${results.length}`, moving.target, '--dry-run');
    results.push(`${stderr}${stdout.split('\n').at(-2) ?? ''}`);
  }
  expect(results).toEqual([
    'The file belongs to another release: its last migration is Later.\n',
    `book ${assigned} has an id that this installation assigns: see "npm run id-range".\n`,
    expect.stringMatching(/^dry run: .* fit, nothing was changed$/),
  ]);
});

/** Revokes tokens of the file in the new installation as well: each instant is earlier or later than that of the file. */
async function revokeInTarget(): Promise<void> {
  const { target, tenant } = moving;
  const { careProviderIds, clientIds } = tenant.fixture;
  await target.queryRows(sql`
    insert into revoked_token (jti, revoked_at, expires_at)
    values ('lost', now(), now() + interval '1 minute'), ('kept', now(), '2100-01-01')`);
  await target.queryRows(sql`
    insert into revoked_token_holder (subject, role, record_id, issued_before, revoked_at, expires_at)
    values (${`client-${clientIds[1]}`}, null, null, '2020-01-01', '2100-01-01', now() + interval '1 minute'),
      (null, 'CARE_PROVIDER', ${careProviderIds[1]}, '2100-01-01', '2020-01-01', '2100-01-01')`);
  // The instance knows these rows, and reads only rows that change later.
  await target.nest.get(DenyList).reload();
}

it('keeps the later instants of tokens that are revoked in both installations', async () => {
  const { old, target } = moving;
  await revokeInTarget();
  imported = await moving.importFrom('moved');
  expect(imported).toMatchObject({ status: 0, stderr: '' });
  const year = 'extract(year from %)::int';
  const [issued, revokedIn, expires] = ['issued_before', 'revoked_at', 'expires_at'].map((column) =>
    sql.raw(year.replace('%', column)),
  );
  const thisYear = new Date().getUTCFullYear();
  const holders = await target.queryRows(sql`
    select ${issued} as issued, ${revokedIn} as revoked, ${expires} = 2100 as later, expires_at > now() + interval '5 minutes' as kept
    from revoked_token_holder where clinic_id is null order by role nulls first`);
  expect(holders).toEqual([
    { issued: thisYear, revoked: 2100, later: false, kept: true },
    { issued: 2100, revoked: thisYear, later: true, kept: true },
  ]);
  const readExpiries = (app: TestApp) =>
    app.queryRows(sql`select jti, expires_at::text from revoked_token where jti <> 'kept'`);
  expect(await readExpiries(target)).toEqual(await readExpiries(old));
  expect(await target.queryRows(sql`select from revoked_token where expires_at = '2100-01-01'`)).toHaveLength(1);
});

it('names the tokens that were revoked after the file was written', async () => {
  const { old, target, tenant } = moving;
  await old.queryRows(sql`
    update revoked_token_holder set revoked_at = revoked_at - interval '5 minutes' where clinic_id is null`);
  await old.queryRows(sql`update revoked_token set revoked_at = revoked_at - interval '5 minutes'`);
  const record = `client/${tenant.fixture.clientIds[0]}`;
  await revoke({ record, subject: record.replace('/', '-') });
  await old.queryRows(sql`
    insert into revoked_token (jti, revoked_at, expires_at) values ('stolen', now(), now() + interval '1 day')`);
  const receipt = /--confirm ([0-9a-f]{32})\n/.exec(imported.stdout)![1]!;
  const { stdout } = await moving.export('--confirm', receipt);
  const [, title, ...missing] = stdout.trim().split('\n').slice(1);
  expect(title).toBe(
    'These tokens were revoked after the file was written. Revoke them in the other installation as well:',
  );
  const [token, holder] = missing.map((line) => JSON.parse(line) as object);
  expect([missing.length, token]).toEqual([2, { jti: 'stolen' }]);
  expect((await target.call('POST', HOLDER, { token: admin, body: holder! })).status).toBe(201);
  const code = /--open ([0-9a-f]{32})\n/.exec(stdout)![1]!;
  expect(await moving.onArrival('--open', code)).toMatchObject({ status: 0, stderr: '' });
});

it('refuses the revoked tokens in the new installation as well', async () => {
  // Instances read changed rows in intervals.
  await moving.target.nest.get(DenyList).reload();
  expect(await readStatuses(moving.target)).toEqual([401, 401, 401]);
  const holders = await moving.target.queryRows(sql`
    select role, record_id::int as id, subject from revoked_token_holder where clinic_id is null order by role, subject`);
  const { careProviderIds, clientIds } = moving.tenant.fixture;
  expect(holders).toEqual([
    { role: 'CARE_PROVIDER', id: careProviderIds[1], subject: null },
    { role: 'CLIENT', id: clientIds[0], subject: `client-${clientIds[0]}` },
    { role: null, id: null, subject: `client-${clientIds[1]}` },
  ]);
});

it('adds the Books of plans and of their revisions to the new catalogue, and no others', async () => {
  const { target, tenant } = moving;
  const books = await target.queryRows(sql`select id::int from book where clinic_id is null order by id`);
  expect(books).toEqual([tenant.fixture.sharedBookId, bookIds.revision, bookIds.plan].map((id) => ({ id })));
});

it('keeps a key that was destroyed in the old installation destroyed', async () => {
  const { keys } = moving.target.nest.get(FieldEncryption);
  // With TEST_ENCRYPTION=off, there are none.
  if (keys !== undefined) expect(await keys.reveal([toLastClient()])).toEqual(['DESTROYED']);
});
