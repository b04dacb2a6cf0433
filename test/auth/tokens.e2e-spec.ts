import { jest } from '@jest/globals';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AuditEntry } from '../../src/audit/index.js';
import { signToken } from '../../src/auth/index.js';
import { TEST_JWT_SECRET, testEnvironment, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests valid and invalid tokens (docs/decisions.md, "Tokens"). */

const CLINIC_PATH = '/gateway/profile/clinic/client';
const CAREGIVER_PATH = '/gateway/profile/caregiver/session';
const ADMIN_PATH = '/gateway/admin/clinic';

const now = () => Math.floor(Date.now() / 1000);
const sign = (
  claims: JWTPayload,
  key: Parameters<SignJWT['sign']>[0] = Buffer.from(TEST_JWT_SECRET),
  header: object = {},
) =>
  new SignJWT({ sub: 'person', exp: now() + 3600, ...claims })
    .setProtectedHeader({ alg: 'HS256', ...header })
    .sign(key);

describe('with a shared secret', () => {
  let app: TestApp;
  let clinic: ClinicFixture;
  beforeAll(async () => {
    app = await TestApp.start();
    clinic = await app.createClinic();
  });
  afterAll(() => app.stop());

  const get = async (token: string, path = CLINIC_PATH, authorization = `bearer ${token}`) =>
    app.call('GET', path, { headers: { authorization } });
  const claims = (more: JWTPayload = {}) => ({ role: 'CLINIC', clinicId: clinic.clinicId, ...more });
  const expectRefused = async (token: string, authorization?: string) => {
    const answer = await get(token, CLINIC_PATH, authorization);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toMatch('application/problem+json');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    // The response does not contain the reason, which would only help an attacker.
    expect(answer.body).toEqual({
      type: 'urn:problem:unauthenticated',
      title: 'Unauthorized',
      status: 401,
      detail: 'A valid bearer token is required.',
      instance: expect.stringMatching(/^urn:uuid:/),
    });
  };

  it('accepts a valid token', async () => {
    expect((await get(await sign(claims()))).status).toBe(200);
  });

  it('responds to a missing token with a plain challenge', async () => {
    const answer = await app.call('GET', CLINIC_PATH);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it.each(['bearer', 'Bearer', 'BEARER', 'bEaReR'])('reads the scheme %s', async (scheme) => {
    const token = await sign(claims());
    expect((await get(token, CLINIC_PATH, `${scheme} ${token}`)).status).toBe(200);
  });

  it.each(['basic', 'token', 'jwt'])('does not read the scheme %s', async (scheme) => {
    const token = await sign(claims());
    await expectRefused(token, `${scheme} ${token}`);
  });

  it.each(['', 'bearer', 'bearer ', 'bearer x', 'bearer x.y.z', 'bearer a b c'])(
    'refuses %j',
    async (authorization) => {
      expect((await get('', CLINIC_PATH, authorization)).status).toBe(401);
    },
  );

  it('does not read tokens from anywhere else', async () => {
    const token = await sign(claims());
    for (const path of [`${CLINIC_PATH}?access_token=${token}`, `${CLINIC_PATH}?token=${token}`])
      expect((await app.call('GET', path, { headers: { cookie: `token=${token}` } })).status).toBe(401);
  });

  it('refuses a token signed with another secret', async () => {
    await expectRefused(await sign(claims(), Buffer.from('another secret that is long enough')));
  });

  it.each(['HS384', 'HS512'])('refuses the algorithm %s, though the secret is right', async (alg) => {
    await expectRefused(await sign(claims(), Buffer.from(TEST_JWT_SECRET), { alg }));
  });

  it('refuses the algorithm none, with and without a signature', async () => {
    const unsecured = new UnsecuredJWT({ sub: 'person', ...claims() }).setExpirationTime('1h').encode();
    const signature = (await sign(claims())).split('.')[2]!;
    await expectRefused(unsecured);
    await expectRefused(unsecured + signature);
  });

  it('refuses claims that were changed afterwards', async () => {
    const [header, , signature] = (await sign(claims({ clinicId: clinic.clinicId + 1 }))).split('.');
    const [, body] = (await sign(claims())).split('.');
    await expectRefused([header, body, signature].join('.'));
  });

  it.each<[string, () => JWTPayload]>([
    ['expired', () => ({ exp: now() - 1 })],
    ['without an end', () => ({ exp: undefined })],
    ['with an end that is no number', () => ({ exp: 'tomorrow' as never })],
    ['not yet valid', () => ({ nbf: now() + 60 })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['without a role', () => ({ role: undefined })],
    ['with a role that there is not', () => ({ role: 'SUPERUSER' })],
    ['with two roles', () => ({ role: ['CLINIC', 'ADMIN'] })],
    ['without the id of its role', () => ({ clinicId: undefined })],
    ['with the id of another role', () => ({ clinicId: undefined, caregiverId: 1 })],
    ['with an id in a string that is no integer', () => ({ clinicId: `${clinic.clinicId}.0` })],
    ['with a fractional id', () => ({ clinicId: 1.5 })],
    ['with the id 0', () => ({ clinicId: 0 })],
    ['with a negative id', () => ({ clinicId: -1 })],
    ['with an id beyond the safe range', () => ({ clinicId: 2 ** 53 })],
    ['with an id of null', () => ({ clinicId: null })],
  ])('refuses one %s', async (_, more) => {
    await expectRefused(await sign(claims(more())));
  });

  it('accepts a token that is valid from now on, and unknown claims', async () => {
    expect((await get(await sign(claims({ nbf: now(), iat: now(), scope: 'x', caregiverId: 'x' })))).status).toBe(200);
  });

  it.each<[number, string, () => JWTPayload]>([
    [200, 'a day', () => ({ iat: now(), exp: now() + 86_400 })],
    [200, 'the rest of a day', () => ({ iat: now() - 86_000, exp: now() + 400 })],
    [200, 'a day, said by a clock that is ahead', () => ({ iat: now() + 30, exp: now() + 86_430 })],
    [401, 'more than a day', () => ({ iat: now(), exp: now() + 86_401 })],
    [401, 'more than a day, most of it over', () => ({ iat: now() - 86_400, exp: now() + 60 })],
    [401, 'more than a day from now, without a beginning', () => ({ exp: now() + 86_500 })],
    [401, 'an hour, in ten years', () => ({ iat: now() + 315_360_000, exp: now() + 315_363_600 })],
  ])('answers %i to one that holds for %s', async (status, _, lifetime) => {
    expect((await get(await sign(claims(lifetime())))).status).toBe(status);
  });

  it.each(['JWT', 'jwt', 'at+jwt', 'application/at+jwt'])('takes the type %s', async (typ) => {
    expect((await get(await sign(claims(), Buffer.from(TEST_JWT_SECRET), { typ }))).status).toBe(200);
  });

  it.each(['CLINIC', 'clinic', 'Clinic', 'ROLE_CLINIC', 'ROLE_clinic', 'role_Clinic'])(
    'reads the role %s',
    async (role) => {
      expect((await get(await sign(claims({ role })))).status).toBe(200);
    },
  );

  it.each([
    'CARE_PROVIDER',
    'care_provider',
    'CareProvider',
    'CAREPROVIDER',
    'caregiver',
    'Caregiver',
    'ROLE_CAREGIVER',
  ])('reads the role %s', async (role) => {
    const token = await sign({ role, caregiverId: clinic.careProviderIds[0] });
    expect((await get(token, CAREGIVER_PATH)).status).toBe(200);
    expect((await get(token)).status).toBe(403);
  });

  it('reads the roles ADMIN and CLIENT', async () => {
    expect((await get(await sign({ role: 'role_admin' }), ADMIN_PATH)).status).toBe(200);
    expect((await get(await sign({ role: 'client', clientId: clinic.clientIds[0] }))).status).toBe(403);
    await expectRefused(await sign({ role: 'client' }));
  });

  it('ignores record ids for other roles in the claims', async () => {
    const token = await sign(claims({ caregiverId: clinic.careProviderIds[0], admin: true }));
    for (const path of [CAREGIVER_PATH, ADMIN_PATH]) expect((await get(token, path)).status).toBe(403);
  });
});

describe('with an issuer and an audience', () => {
  let app: TestApp;
  let clinic: ClinicFixture;
  beforeAll(async () => {
    app = await TestApp.start({
      token: { ...testEnvironment.token, issuer: 'https://id.example.org', audience: 'care' },
    });
    clinic = await app.createClinic();
  });
  afterAll(() => app.stop());

  it.each<[number, JWTPayload]>([
    [200, { iss: 'https://id.example.org', aud: 'care' }],
    [200, { iss: 'https://id.example.org', aud: ['other', 'care'] }],
    [401, { aud: 'care' }],
    [401, { iss: 'https://id.example.org' }],
    [401, { iss: 'https://id.example.org/', aud: 'care' }],
    [401, { iss: 'https://id.example.org', aud: 'care2' }],
    [401, { iss: 'https://id.example.org', aud: [] }],
  ])('answers %i to %j', async (status, more) => {
    const token = await sign({ role: 'CLINIC', clinicId: clinic.clinicId, ...more });
    expect((await app.call('GET', CLINIC_PATH, { token })).status).toBe(status);
  });
});

describe('with the claims of another identity provider', () => {
  let app: TestApp;
  let clinic: ClinicFixture;
  const token = {
    ...testEnvironment.token,
    claims: { ...testEnvironment.token.claims, role: 'realm_access.roles', clinicId: 'custom:clinic' },
    maxLifetime: Temporal.Duration.from('PT2H'),
  };
  beforeAll(async () => {
    app = await TestApp.start({ token });
    clinic = await app.createClinic();
  });
  afterAll(() => app.stop());

  const statusOf = async (signed: string) => (await app.call('GET', CLINIC_PATH, { token: signed })).status;

  it.each([
    [200, ['offline_access', 'ROLE_clinic']],
    [200, ['CLINIC', 'clinic']],
    [403, ['ADMIN']],
    [401, ['CLINIC', 'ADMIN']],
    [401, ['offline_access']],
    [401, []],
  ])('answers %i to the roles %j', async (status, roles) => {
    // The claim `role` is ignored, because the settings name another claim for roles.
    const claims = { role: 'CLINIC', realm_access: { roles }, 'custom:clinic': String(clinic.clinicId) };
    expect(await statusOf(await sign(claims))).toBe(status);
  });

  describe('with several roles', () => {
    const call = async (acting: string | undefined, method = 'GET', path = CLINIC_PATH, more: object = {}) => {
      const claims = { realm_access: { roles: ['CLINIC', 'ADMIN'] }, 'custom:clinic': clinic.clinicId };
      const headers = { ...(acting === undefined ? {} : { 'acting-role': acting }), ...more };
      return app.call(method, path, { token: await sign(claims), headers, ...(method === 'POST' && { body: BOOK }) });
    };
    const BOOK = { title: 'Chosen' };
    const ADMIN_BOOKS = '/gateway/admin/book';

    it.each([
      [200, 'CLINIC', CLINIC_PATH],
      [200, 'role_clinic', CLINIC_PATH],
      [403, 'CLINIC', ADMIN_BOOKS],
      [200, 'ADMIN', ADMIN_BOOKS],
      [403, 'ADMIN', CLINIC_PATH],
      [403, 'CLIENT', CLINIC_PATH],
      [403, 'nonsense', CLINIC_PATH],
      [403, 'ADM', ADMIN_BOOKS],
      [403, '', CLINIC_PATH],
      [401, undefined, CLINIC_PATH],
    ])('answers %i to Acting-Role: %s at %s', async (status, acting, path) => {
      // Each request is sent twice, because the second one uses the token cache.
      expect([(await call(acting, 'GET', path)).status, (await call(acting, 'GET', path)).status]).toEqual([
        status,
        status,
      ]);
    });

    it('records the role in use in the audit trail, and separates idempotency keys by role', async () => {
      const key = { 'idempotency-key': crypto.randomUUID() };
      const created = await call('CLINIC', 'POST', '/gateway/profile/clinic/book', key);
      const shared = await call('ADMIN', 'POST', ADMIN_BOOKS, key);
      expect([created.status, shared.status]).toEqual([201, 201]);
      expect(shared.headers.get('idempotent-replayed')).toBeNull();
      const entries = await app.asSuperuser((em) =>
        em.find(AuditEntry, { operation: { $like: 'POST %' } }, { orderBy: { id: 1 } }),
      );
      expect(entries.map(({ actorRole }) => actorRole)).toEqual(['CLINIC', 'ADMIN']);
    });
  });

  it('accepts tokens that it signs itself, with the same claims', async () => {
    expect(await statusOf(await signToken(token, { role: 'CLINIC', id: clinic.clinicId }))).toBe(200);
    expect(await statusOf(await app.createToken('CLINIC', clinic.clinicId))).toBe(401);
  });

  it('signs no token with too long a lifetime', async () => {
    const request = { role: 'CLINIC', id: clinic.clinicId, lifetime: '3h' } as const;
    await expect(signToken(token, request)).rejects.toThrow('A lifetime of 3h is too long: JWT_MAX_LIFETIME is PT2H.');
    expect(await statusOf(await signToken(token, { ...request, lifetime: '2h' }))).toBe(200);
  });
});

describe('with a key set', () => {
  type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
  let identityProvider: Server;
  let published: object[];
  let asked = 0;
  let app: TestApp;
  let clinic: ClinicFixture;
  let rsa: Pair;
  let ec: Pair;

  const publicJwk = async ({ publicKey }: Pair, kid: string, alg: string) => ({
    ...(await exportJWK(publicKey)),
    ...{ kid, alg, use: 'sig' },
  });
  const status = async (token: string) => (await app.call('GET', CLINIC_PATH, { token })).status;
  const claims = () => ({ role: 'CLINIC', clinicId: clinic.clinicId });

  beforeAll(async () => {
    [rsa, ec] = await Promise.all([
      generateKeyPair('RS256', { extractable: true }),
      generateKeyPair('ES256', { extractable: true }),
    ]);
    published = [await publicJwk(rsa, 'rsa-1', 'RS256'), await publicJwk(ec, 'ec-1', 'ES256')];
    identityProvider = createServer((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ keys: published }));
    });
    await new Promise<void>((resolve) => identityProvider.listen(0, '127.0.0.1', resolve));
    const { port } = identityProvider.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/keys`;
    app = await TestApp.start({ token: { ...testEnvironment.token, key: { kind: 'keySet', url } } });
    clinic = await app.createClinic();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await app.stop();
    await new Promise((resolve) => identityProvider.close(resolve));
  });

  it('accepts RS256 and ES256, and caches the keys', async () => {
    expect(await status(await sign(claims(), rsa.privateKey, { alg: 'RS256', kid: 'rsa-1' }))).toBe(200);
    const before = asked;
    expect(await status(await sign(claims(), ec.privateKey, { alg: 'ES256', kid: 'ec-1' }))).toBe(200);
    expect(await status(await sign(claims(), rsa.privateKey, { alg: 'RS256', kid: 'rsa-1' }))).toBe(200);
    expect(asked).toBe(before);
  });

  it('accepts a token without a key id if only one key matches', async () => {
    expect(await status(await sign(claims(), ec.privateKey, { alg: 'ES256' }))).toBe(200);
  });

  it('refuses HS256, signed with the public key or with the secret', async () => {
    const pem = Buffer.from(await exportSPKI(rsa.publicKey));
    for (const key of [pem, Buffer.from(pem.toString().trim()), Buffer.from(TEST_JWT_SECRET)]) {
      for (const kid of ['rsa-1', 'ec-1', undefined])
        expect(await status(await sign(claims(), key, { kid }))).toBe(401);
    }
  });

  it('refuses other algorithms for the same key, and the algorithm none', async () => {
    const { privateKey } = await generateKeyPair('RS512');
    expect(await status(await sign(claims(), privateKey, { alg: 'RS512', kid: 'rsa-1' }))).toBe(401);
    expect(await status(new UnsecuredJWT({ sub: 'x', ...claims() }).setExpirationTime('1h').encode())).toBe(401);
  });

  it('refuses a foreign key with a known id, and expired tokens', async () => {
    const foreign = await generateKeyPair('RS256');
    expect(await status(await sign(claims(), foreign.privateKey, { alg: 'RS256', kid: 'rsa-1' }))).toBe(401);
    const expired = { ...claims(), exp: now() - 1 };
    expect(await status(await sign(expired, rsa.privateKey, { alg: 'RS256', kid: 'rsa-1' }))).toBe(401);
  });

  it('ignores the location of keys in a token', async () => {
    const foreign = await generateKeyPair('RS256', { extractable: true });
    const jwk = await publicJwk(foreign, 'rsa-1', 'RS256');
    const header = { alg: 'RS256', jku: 'http://127.0.0.1:1/keys', jwk: jwk as never };
    expect(await status(await sign(claims(), foreign.privateKey, header))).toBe(401);
  });

  it('finds new keys after a rotation, without a request for every unknown id', async () => {
    const next = await generateKeyPair('RS256', { extractable: true });
    const token = await sign(claims(), next.privateKey, { alg: 'RS256', kid: 'rsa-2' });
    expect(await status(token)).toBe(401);
    published = [await publicJwk(next, 'rsa-2', 'RS256')];
    const before = asked;
    expect(await status(token)).toBe(401);
    expect(asked).toBe(before);
    // After half a minute, the keys may be fetched again.
    const later = Temporal.Now.instant().add({ seconds: 31 });
    jest.spyOn(Date, 'now').mockImplementation(() => later.epochMilliseconds);
    jest.spyOn(Temporal.Now, 'instant').mockImplementation(() => later);
    expect(await status(token)).toBe(200);
    expect(asked).toBe(before + 1);
    // A withdrawn key is no longer accepted.
    expect(await status(await sign(claims(), rsa.privateKey, { alg: 'RS256', kid: 'rsa-1' }))).toBe(401);
  });
});

describe('with a key set that cannot be fetched', () => {
  it.each([
    ['the connection is refused', 'http://127.0.0.1:1/keys'],
    ['it answers something else', undefined],
  ])('answers 503 and not 401: %s', async (_, address) => {
    const identityProvider = createServer((_request, response) => response.writeHead(500).end());
    await new Promise<void>((resolve) => identityProvider.listen(0, '127.0.0.1', resolve));
    const { port } = identityProvider.address() as AddressInfo;
    const url = address ?? `http://127.0.0.1:${port}/keys`;
    const app = await TestApp.start({
      token: { ...testEnvironment.token, key: { kind: 'keySet', url } },
    });
    const { privateKey } = await generateKeyPair('RS256');
    const token = await sign({ role: 'ADMIN' }, privateKey, { alg: 'RS256', kid: 'rsa-1' });
    const answer = await app.call('GET', ADMIN_PATH, { token });
    expect([answer.status, answer.body.status, answer.headers.get('retry-after')]).toEqual([503, 503, '5']);
    // A malformed token is refused before any key is needed.
    expect((await app.call('GET', ADMIN_PATH, { token: 'broken' })).status).toBe(401);
    await app.stop();
    await new Promise((resolve) => identityProvider.close(resolve));
  });
});
