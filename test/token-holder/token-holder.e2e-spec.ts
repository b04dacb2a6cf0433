import { MikroORM } from '@mikro-orm/core';
import { SignJWT, type JWTPayload } from 'jose';
import { sql } from 'kysely';
import { DenyList, TokenHolderRevocations, RevokedTokenHolder } from '../../src/auth/index.js';
import { TokenHolderCutoffs } from '../../src/auth/revocation/token-holder-cutoffs.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { createConnectionLostError, interceptStatements } from '../support/database/statement-interceptor.js';
import { TEST_JWT_SECRET, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests the revocation of all tokens of a subject or of a directory record, by administrators and by a Clinic. */

const ADMIN = '/gateway/admin/revoked-token-holder';
const CLINIC = '/gateway/profile/clinic/revoked-token-holder';
const HOMES = {
  CLINIC: '/gateway/profile/clinic/client',
  CARE_PROVIDER: '/gateway/profile/caregiver/session',
  CLIENT: '/gateway/profile/client/session',
  ADMIN: '/gateway/admin/clinic',
} as const;

let app: TestApp;
let admin: string;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  admin = await app.createToken('ADMIN');
});
beforeEach(async () => {
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

type Role = keyof typeof HOMES;
const now = () => Math.floor(Date.now() / 1000);
let subjects = 0;
const newSubject = () => `subject-${(subjects += 1)}`;

/**
 * Signs a token that was issued some time ago.
 *
 * @param age age of the token in seconds; null for a token without `iat`
 */
function sign(role: Role, id: number, age: number | null = 60, more: JWTPayload = {}): Promise<string> {
  const claim = { CLINIC: 'clinicId', CARE_PROVIDER: 'caregiverId', CLIENT: 'clientId', ADMIN: 'none' }[role];
  const claims = { sub: 'test', role, [claim]: id, exp: now() + 600, ...more };
  return new SignJWT(age === null ? claims : { ...claims, iat: now() - age })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(TEST_JWT_SECRET));
}

async function statusOf(token: string, role: Role, acting = app): Promise<number> {
  return (await acting.call('GET', HOMES[role], { token })).status;
}
const revoke = (path: string, body: object, token = path === ADMIN ? admin : clinic.clinicToken) =>
  app.call('POST', path, { token, body });
const clientToken = (age: number | null = 60, more: JWTPayload = {}) => sign('CLIENT', clinic.clientIds[0], age, more);

it('keeps the latest instant of a holder in the database, which an instance reads at its start', async () => {
  const record = `client/${clinic.clientIds[0]}`;
  const at = (secondsAgo: number) => new Date((now() - secondsAgo) * 1000).toISOString();
  const later = (await revoke(CLINIC, { record, issuedBefore: at(60) })).body;
  const { body } = await revoke(CLINIC, { record, issuedBefore: at(3_600) });
  expect([body.issuedBefore, body.expiresAt]).toEqual([later.issuedBefore, later.expiresAt]);
  const started = new TokenHolderCutoffs(app.nest.get(MikroORM).em);
  await started.readChanges();
  expect(started.isRevoked([`CLIENT ${clinic.clientIds[0]}`], (now() - 600) * 1000)).toBe(true);
});

describe.each([ADMIN, CLINIC])('%s', (path) => {
  it('refuses tokens of a record from before now, cached or not, with and without iat, and no later ones', async () => {
    const [cached, fresh, undated, later] = [
      await clientToken(),
      await clientToken(30),
      await clientToken(null),
      await clientToken(-10),
    ];
    const other = await sign('CLIENT', clinic.clientIds[1]);
    expect(await statusOf(cached, 'CLIENT')).toBe(200);
    const record = `client/${clinic.clientIds[0]}`;
    const answer = await revoke(path, { record });
    expect([answer.status, answer.body]).toEqual([
      201,
      { ...{ id: expect.any(Number), subject: null, record }, ...times(answer.body) },
    ]);
    for (const token of [cached, fresh, undated]) expect(await statusOf(token, 'CLIENT')).toBe(401);
    for (const token of [later, other]) expect(await statusOf(token, 'CLIENT')).toBe(200);
    const refused = await app.call('GET', HOMES.CLIENT, { token: cached });
    expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  it('refuses the tokens of one subject of a record only', async () => {
    const [sub, other] = [newSubject(), newSubject()];
    const record = `client/${clinic.clientIds[0]}`;
    expect((await revoke(path, { record, subject: sub })).status).toBe(201);
    expect(await statusOf(await clientToken(60, { sub }), 'CLIENT')).toBe(401);
    expect(await statusOf(await clientToken(60, { sub: other }), 'CLIENT')).toBe(200);
    expect(await statusOf(await sign('CLIENT', clinic.clientIds[1], 60, { sub }), 'CLIENT')).toBe(200);
  });

  it('compares with an instant of the caller, of which the last counts', async () => {
    const record = `client/${clinic.clientIds[0]}`;
    const [older, newer] = [await clientToken(120), await clientToken(60)];
    const at = (seconds: number) => new Date((now() - seconds) * 1000).toISOString();
    const withManyDigits = at(150).replace('Z', '0000000000Z');
    expect((await revoke(path, { record, issuedBefore: withManyDigits })).status).toBe(201);
    for (const seconds of [90, 110]) {
      const { status, body } = await revoke(path, { record, issuedBefore: at(seconds) });
      expect([status, Date.parse(body.issuedBefore)]).toEqual([201, expect.any(Number)]);
    }
    expect([await statusOf(older, 'CLIENT'), await statusOf(newer, 'CLIENT')]).toEqual([401, 200]);
    const rows = await app.asSuperuser((em) => em.find(RevokedTokenHolder, { recordId: clinic.clientIds[0] }));
    expect(rows).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['/record', { record: 'client' }],
    ['/record', { record: 'client/0' }],
    ['/record', { record: 'session/1' }],
    ['/record', { record: 5 }],
    ['/subject', { record: 'clinic/1', subject: '' }],
    ['/subject', { record: 'clinic/1', subject: 'x'.repeat(256) }],
    ['/subject', { record: 'clinic/1', subject: 'a\u0000b' }],
    ['/issuedBefore', { record: 'clinic/1', issuedBefore: 'yesterday' }],
    ['/issuedBefore', { record: 'clinic/1', issuedBefore: new Date(Date.now() + 120_000).toISOString() }],
    [path === ADMIN ? '/subject' : '/record', {}],
  ])('names %s in %j', async (pointer, body) => {
    const own = 'record' in body && body.record === 'clinic/1' ? { record: `clinic/${clinic.clinicId}` } : {};
    const answer = await revoke(path, { ...body, ...own });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
  });
});

it('a revocation that is rolled back refuses no token', async () => {
  const token = await clientToken();
  const untap = await interceptStatements(app, {
    before: (text) => {
      if (text.includes('insert into audit_entry')) throw createConnectionLostError();
    },
  });
  try {
    expect((await revoke(ADMIN, { record: `client/${clinic.clientIds[0]}` })).status).toBe(503);
  } finally {
    untap();
  }
  expect(await statusOf(token, 'CLIENT')).toBe(200);
});

it('an administrator refuses all tokens of a subject, whatever they name', async () => {
  const sub = newSubject();
  const ids = [clinic.clinicId, clinic.careProviderIds[0], clinic.clientIds[0], 0];
  const roles: Role[] = ['CLINIC', 'CARE_PROVIDER', 'CLIENT', 'ADMIN'];
  const tokens = await Promise.all(roles.map((role, index) => sign(role, ids[index]!, 60, { sub })));
  for (const [index, role] of roles.entries()) expect(await statusOf(tokens[index]!, role)).toBe(200);
  expect((await revoke(ADMIN, { subject: sub })).body).toMatchObject({ subject: sub, record: null });
  for (const [index, role] of roles.entries()) expect(await statusOf(tokens[index]!, role)).toBe(401);
});

it('an administrator cannot refuse the tokens of a record that does not exist', async () => {
  const ids = { clinic: clinic.clinicId, 'care-provider': clinic.careProviderIds[0], client: clinic.clientIds[0] };
  for (const [kind, id] of Object.entries(ids)) {
    const subject = newSubject();
    expect((await revoke(ADMIN, { record: `${kind}/${id}`, subject })).status).toBe(201);
    const absent = await revoke(ADMIN, { record: `${kind}/999999999`, subject });
    expect([absent.status, absent.body.errors[0].pointer]).toEqual([422, '/record']);
    const rows = await app.asSuperuser((em) => em.find(RevokedTokenHolder, { subject }));
    expect(rows.map(({ recordId }) => recordId)).toEqual([id]);
  }
});

it('a Clinic refuses the tokens of one of its accounts', async () => {
  const [sub, record] = [newSubject(), `clinic/${clinic.clinicId}`];
  const [revoked, other] = [await sign('CLINIC', clinic.clinicId, 60, { sub }), await sign('CLINIC', clinic.clinicId)];
  expect((await revoke(CLINIC, { record, subject: sub }, other)).status).toBe(201);
  expect([await statusOf(revoked, 'CLINIC'), await statusOf(other, 'CLINIC')]).toEqual([401, 200]);
});

it('a Clinic cannot refuse the tokens of another Clinic or its people', async () => {
  const foreign = await app.createClinic();
  const subject = newSubject();
  const token = await sign('CLIENT', foreign.clientIds[0], 60, { sub: subject });
  const ids = { clinic: foreign.clinicId, 'care-provider': foreign.careProviderIds[0], client: foreign.clientIds[0] };
  for (const [kind, id] of [...Object.entries(ids), ['client', 999_999_999] as const]) {
    const answer = await revoke(CLINIC, { record: `${kind}/${id}`, subject });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/record']);
  }
  // A Clinic may not revoke the tokens of a subject alone, because a subject does not belong to one Clinic.
  expect((await revoke(CLINIC, { subject })).status).toBe(400);
  expect(await statusOf(token, 'CLIENT')).toBe(200);
});

it('a Clinic also ends the calendar links of a person from before the instant, unless it names a subject', async () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  app.clock.set(ago(60));
  const {
    clientIds: [own, other],
    careProviderIds: [careProvider],
  } = clinic;
  const [old, another] = [await createCalendarLink('CLIENT', own), await createCalendarLink('CLIENT', other)];
  const careProviders = await createCalendarLink('CARE_PROVIDER', careProvider);
  app.clock.set(ago(20));
  const newer = await createCalendarLink('CLIENT', own);
  const statuses = async () => {
    const answers = [];
    for (const path of [old, newer, another, careProviders]) answers.push((await app.call('GET', path)).status);
    return answers;
  };
  const steps: [body: object, statuses: number[]][] = [
    [{ record: `client/${own}`, subject: newSubject() }, [200, 200, 200, 200]],
    [{ record: `clinic/${clinic.clinicId}`, issuedBefore: ago(500) }, [200, 200, 200, 200]],
    [{ record: `client/${own}`, issuedBefore: ago(40) }, [404, 200, 200, 200]],
    [{ record: `client/${own}` }, [404, 404, 200, 200]],
    [{ record: `care-provider/${careProvider}` }, [404, 404, 200, 404]],
  ];
  for (const [body, expected] of steps) {
    expect((await revoke(CLINIC, body)).status).toBe(201);
    expect(await statuses()).toEqual(expected);
  }
});

async function createCalendarLink(role: 'CLIENT' | 'CARE_PROVIDER', id: number): Promise<string> {
  const path = `/gateway/profile/${role === 'CLIENT' ? 'client' : 'caregiver'}/calendar-link`;
  const { body } = await app.call('POST', path, { token: await sign(role, id), body: {} });
  return new URL(body.url as string).pathname;
}

it('the revocation of a role concerns another role of the same token only by its subject', async () => {
  const token = await sign('CLIENT', clinic.clientIds[0], 60, {
    role: ['CLIENT', 'CARE_PROVIDER'],
    caregiverId: clinic.careProviderIds[0],
  });
  await revoke(CLINIC, { record: `client/${clinic.clientIds[0]}` });
  const as = async (role: Role) =>
    (await app.call('GET', HOMES[role], { token, headers: { 'acting-role': role } })).status;
  expect([await as('CLIENT'), await as('CARE_PROVIDER')]).toEqual([401, 200]);
});

it('lists the revocations of each Clinic and of administrators for themselves', async () => {
  const foreign = await app.createClinic();
  const subject = newSubject();
  await revoke(CLINIC, { record: `client/${clinic.clientIds[0]}`, subject });
  await revoke(ADMIN, { record: `client/${clinic.clientIds[0]}`, subject });
  const listed = async (path: string, token: string) => {
    const { body } = await app.call('GET', `${path}?limit=200`, { token });
    return body.items.filter((item: { subject: string }) => item.subject === subject).length as number;
  };
  expect([
    await listed(CLINIC, clinic.clinicToken),
    await listed(CLINIC, foreign.clinicToken),
    await listed(ADMIN, admin),
  ]).toEqual([1, 0, 1]);
});

it('has a limit of subjects for each Clinic', async () => {
  const { clinicId } = clinic;
  const known = { record: `client/${clinic.clientIds[0]}`, subject: newSubject() };
  expect((await revoke(CLINIC, known)).status).toBe(201);
  await app.queryRows(sql`
    insert into revoked_token_holder (clinic_id, subject, role, record_id, issued_before, revoked_at, expires_at)
    select ${clinicId}::bigint, 'many-' || n, 'CLINIC', ${clinicId}::bigint, now(), now(), now() + interval '1 hour'
    from generate_series(1, 999) n`);
  const record = `client/${clinic.clientIds[0]}`;
  expect((await revoke(CLINIC, { record, subject: newSubject() })).status).toBe(409);
  expect((await revoke(CLINIC, known)).status).toBe(201);
  expect((await revoke(CLINIC, { record })).status).toBe(201);
  const other = await app.createClinic();
  const ofOther = { record: `client/${other.clientIds[0]}`, subject: newSubject() };
  expect((await revoke(CLINIC, ofOther, other.clinicToken)).status).toBe(201);
});

it('is audited with the record', async () => {
  const record = `client/${clinic.clientIds[0]}`;
  const { id } = (await revoke(CLINIC, { record })).body;
  const { body } = await app.call('GET', `/gateway/profile/clinic/audit?record=${record}`, {
    token: clinic.clinicToken,
  });
  expect(body.items[0]).toMatchObject({
    operation: `POST ${CLINIC}`,
    access: 'WRITE',
    records: expect.arrayContaining([record, `revoked-token-holder/${id}`]),
  });
});

describe('another instance', () => {
  it('knows a revocation after its next read, and a later one after the read after it', async () => {
    const [first, second] = [await clientToken(), await sign('CLIENT', clinic.clientIds[1])];
    for (const [index, token] of [first, second].entries()) {
      expect(await statusOf(token, 'CLIENT')).toBe(200);
      // Inserts a revocation directly into the database, as if another instance had added it, so that this instance
      // does not know it yet.
      await app.queryRows(sql`
        insert into revoked_token_holder (clinic_id, role, record_id, issued_before, revoked_at, expires_at)
        values (${clinic.clinicId}::bigint, 'CLIENT', ${clinic.clientIds[index]}::bigint, now(), now(), now() + interval '1 hour')`);
      await app.nest.get(DenyList).reload();
      expect(await statusOf(token, 'CLIENT')).toBe(401);
    }
  });

  it('knows it from its start on, until it has expired', async () => {
    await revoke(CLINIC, { record: `client/${clinic.clientIds[0]}` });
    const token = await clientToken(null);
    expect(await statusOf(token, 'CLIENT')).toBe(401);
    const started = new TokenHolderCutoffs(app.nest.get(MikroORM).em);
    await started.readChanges();
    expect(started.isRevoked([`CLIENT ${clinic.clientIds[0]}`], undefined)).toBe(true);
    await app.queryRows(sql`update revoked_token_holder set expires_at = now() where clinic_id = ${clinic.clinicId}`);
    await app.nest.get(Scheduler).run('revoked-token-holders-clean-up');
    expect(await statusOf(token, 'CLIENT')).toBe(200);
    expect(await app.asSuperuser((em) => em.count(RevokedTokenHolder, { clinicId: clinic.clinicId }))).toBe(0);
    expect(await app.nest.get(TokenHolderRevocations).deleteExpired()).toBe(0);
  });
});

it('requests at the same time do not exceed the maximum of a Clinic', async () => {
  await app.queryRows(sql`
    insert into revoked_token_holder (clinic_id, subject, role, record_id, issued_before, revoked_at, expires_at)
    select ${clinic.clinicId}, 's' || n, 'CLINIC', ${clinic.clinicId}, now(), now(), now() + interval '1 year'
    from generate_series(1, 999) n`);
  const record = `clinic/${clinic.clinicId}`;
  const answers = await Promise.all([1, 2, 3, 4].map((n) => revoke(CLINIC, { subject: `late-${n}`, record })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
});

it('reports the number of entries', async () => {
  await revoke(CLINIC, { record: `client/${clinic.clientIds[0]}` });
  const { text } = await app.call('GET', '/metrics');
  expect(text).toMatch(/scheduling_revocation_list_entries\{kind="holder"\} [1-9]/);
  expect(text).toMatch(/scheduling_revocation_list_entries\{kind="token"\} \d/);
});

/**
 * Returns the times of a revocation that was made now. It ends after a day, the longest token lifetime, and a minute
 * for clocks that are ahead.
 */
function times({ issuedBefore }: { issuedBefore: string }) {
  const expiresAt = new Date(Date.parse(issuedBefore) + 86_460_000).toISOString();
  expect(Math.abs(Date.parse(issuedBefore) - Date.now())).toBeLessThan(30_000);
  return { issuedBefore, revokedAt: expect.any(String), expiresAt };
}
