import { DenyList, RevokedToken } from '../../src/auth/index.js';
import { decodeJwt } from 'jose';
import { Scheduler } from '../../src/scheduler/index.js';
import { testEnvironment, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests the revocation of tokens by an administrator: its effect on this instance and on others, and failures to read
 * the list.
 */

const PATH = '/gateway/admin/revoked-token';
const OWN = '/gateway/profile/clinic/client';

let app: TestApp;
let clinic: ClinicFixture;
let admin: string;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  admin = await app.createToken('ADMIN');
});
afterAll(() => app.stop());

const newToken = () => app.createToken('CLINIC', clinic.clinicId);
const jtiOf = (token: string) => decodeJwt(token).jti!;
const statusOf = async (token: string) => (await app.call('GET', OWN, { token })).status;
const revoke = (body: object, token = admin) => app.call('POST', PATH, { token, body });
const stored = (jti: string) => app.asSuperuser((em) => em.findOne(RevokedToken, { jti }));

it('revokes a token immediately, and no other', async () => {
  const [token, other] = [await newToken(), await newToken()];
  expect(await statusOf(token)).toBe(200);
  const answer = await revoke({ jti: jtiOf(token) });
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      id: expect.any(Number),
      jti: jtiOf(token),
      revokedAt: '2026-11-21T10:00:00.000Z',
      // The longest token lifetime, plus a minute in case the issuer's clock is ahead.
      expiresAt: '2026-11-22T10:01:00.000Z',
    },
  ]);
  const refused = await app.call('GET', OWN, { token });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"']);
  expect(await statusOf(other)).toBe(200);
});

it('revokes the token of an administrator', async () => {
  const other = await app.createToken('ADMIN');
  expect((await revoke({ jti: jtiOf(other) })).status).toBe(201);
  expect((await revoke({ jti: 'something' }, other)).status).toBe(401);
  expect(await stored('something')).toBeNull();
});

it('is allowed for administrators only', async () => {
  const victim = await newToken();
  const client = await app.createToken('CLIENT', clinic.clientIds[0]);
  for (const token of [clinic.clinicToken, clinic.careProviderToken, client]) {
    expect((await revoke({ jti: jtiOf(victim) }, token)).status).toBe(403);
    expect((await app.call('GET', PATH, { token })).status).toBe(403);
  }
  expect(await stored(jtiOf(victim))).toBeNull();
  expect(await statusOf(victim)).toBe(200);
});

it('stores a revocation until the token expires, at most for the longest lifetime', async () => {
  const ends = ['2026-11-21T12:00:00+01:00', '2036-01-01T00:00:00Z', null, '2026-11-21T10:00:00Z'].map(
    (expiresAt, index) => ({
      expiresAt,
      jti: `end-${index}`,
    }),
  );
  const answers = await Promise.all(ends.map((body) => revoke(body)));
  expect(answers.map(({ body }) => body.expiresAt)).toEqual([
    '2026-11-21T11:00:00.000Z',
    '2026-11-22T10:01:00.000Z',
    '2026-11-22T10:01:00.000Z',
    '2026-11-22T10:01:00.000Z',
  ]);
});

it('keeps the later expiry if a token is revoked twice', async () => {
  const jti = 'once-more';
  const ends = ['2026-11-21T12:00:00Z', '2026-11-21T11:00:00Z', '2026-11-21T13:00:00Z'];
  const seen: string[] = [];
  for (const expiresAt of ends) seen.push((await revoke({ jti, expiresAt })).body.expiresAt);
  expect(seen).toEqual(['2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z', '2026-11-21T13:00:00.000Z']);
  expect(await app.asSuperuser((em) => em.count(RevokedToken, { jti }))).toBe(1);
});

it('accepts concurrent revocations of a token, and keeps the latest expiry', async () => {
  const jti = 'many-times';
  const hours = Array.from({ length: 20 }, (_, index) => (index * 7) % 10);
  const answers = await Promise.all(hours.map((hour) => revoke({ jti, expiresAt: `2026-11-22T0${hour}:00:00Z` })));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  expect((await stored(jti))!.expiresAt.toString()).toBe('2026-11-22T09:00:00Z');
});

it.each<[string, object]>([
  ['/jti', {}],
  ['/jti', { jti: '' }],
  ['/jti', { jti: 1 }],
  ['/jti', { jti: 'x'.repeat(256) }],
  ['/jti', { jti: 'a\u0000b' }],
  ['/expiresAt', { jti: 'x', expiresAt: 'tomorrow' }],
  ['/expiresAt', { jti: 'x', expiresAt: 1_900_000_000 }],
])('names %s in %j', async (pointer, body) => {
  const answer = await revoke(body);
  expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
});

it('lists revoked tokens page by page, without expired ones', async () => {
  for (const jti of ['listed-1', 'listed-2', 'listed-3']) await revoke({ jti });
  await revoke({ jti: 'over', expiresAt: '2026-11-21T10:30:00Z' });
  app.clock.set('2026-11-21T10:30:00Z');
  const listed: string[] = [];
  for (let cursor = ''; ;) {
    const { body } = await app.call('GET', `${PATH}?limit=2${cursor}`, { token: admin });
    listed.push(...body.items.map(({ jti }: { jti: string }) => jti));
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  expect(listed.slice(-3)).toEqual(['listed-1', 'listed-2', 'listed-3']);
  expect(listed).not.toContain('over');
  app.clock.set('2026-11-21T10:00:00Z');
});

it('is known to another instance after its next read', async () => {
  const token = await newToken();
  await app.asSuperuser((em) => em.persist(new RevokedToken(jtiOf(token), app.clock.now(), app.clock.now())).flush());
  expect(await statusOf(token)).toBe(200);
  await app.nest.get(DenyList).reload();
  expect(await statusOf(token)).toBe(401);
});

it('is known to another instance although its transaction commits after a later one', async () => {
  const [early, late] = [await newToken(), await newToken()];
  await app.asSuperuser(async (em) => {
    await em.persist(new RevokedToken(jtiOf(early), app.clock.now(), app.clock.now())).flush();
    await revoke({ jti: jtiOf(late) });
    await app.nest.get(DenyList).reload();
    expect([await statusOf(early), await statusOf(late)]).toEqual([200, 401]);
  });
  await app.nest.get(DenyList).reload();
  expect(await statusOf(early)).toBe(401);
});

it('is not lost if the token is revoked while the table is read', async () => {
  const token = await newToken();
  const reading = app.nest.get(DenyList).reload();
  const answer = await revoke({ jti: jtiOf(token) });
  await reading;
  expect([answer.status, await statusOf(token)]).toEqual([201, 401]);
  await app.nest.get(DenyList).reload();
  expect(await statusOf(token)).toBe(401);
});

it('is deleted after the token has expired', async () => {
  await revoke({ jti: 'short', expiresAt: '2026-11-21T10:30:00Z' });
  await revoke({ jti: 'long', expiresAt: '2026-11-21T11:30:00Z' });
  app.clock.set('2026-11-21T11:00:01Z');
  expect(await app.nest.get(DenyList).deleteExpired()).toBeGreaterThan(0);
  expect([await stored('short'), await stored('long')]).toEqual([null, expect.objectContaining({ jti: 'long' })]);
  app.clock.set('2026-11-21T10:00:00Z');
});

it('is kept for a minute after the token has expired, because the clock of the machine may be behind', async () => {
  const token = await newToken();
  await revoke({ jti: jtiOf(token), expiresAt: '2026-11-21T10:30:00Z' });
  // The token is still valid by the clock of the machine.
  app.clock.set('2026-11-21T10:30:30Z');
  await app.nest.get(Scheduler).run('revoked-tokens-clean-up');
  expect(await statusOf(token)).toBe(401);
  app.clock.set('2026-11-21T10:00:00Z');
});

describe('with a short interval', () => {
  let other: TestApp;
  let path: string;
  beforeAll(async () => {
    const revocationInterval = Temporal.Duration.from('PT0.2S');
    other = await TestApp.start({ token: { ...testEnvironment.token, revocationInterval } });
    path = `/gateway/admin/clinic`;
  });
  afterAll(() => other.stop());

  it('reads the table by itself', async () => {
    const token = await other.createToken('ADMIN');
    const now = other.clock.now();
    await other.asSuperuser((em) => em.persist(new RevokedToken(jtiOf(token), now, now)).flush());
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await other.call('GET', path, { token })).status).toBe(401);
  });

  it('refuses tokens with an id after the table could not be read for some time, and recovers afterwards', async () => {
    const token = await other.createToken('ADMIN');
    const run = (statement: string) =>
      other.asSuperuser((em) => em.getConnection().execute(statement, [], 'run', em.getTransactionContext()));
    await run('alter table revoked_token rename to elsewhere');
    expect((await other.call('GET', path, { token })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const answer = await other.call('GET', path, { token });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    await run('alter table elsewhere rename to revoked_token');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await other.call('GET', path, { token })).status).toBe(200);
  });
});
