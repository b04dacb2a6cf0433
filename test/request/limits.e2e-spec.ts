import { SignJWT } from 'jose';
import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { Book } from '../../src/directory/index.js';
import type { RateLimits } from '../../src/shared/config/env.js';
import { callFromAddress, type AddressedRequest } from '../support/http/call-from-address.js';
import { TEST_JWT_SECRET, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests the rate limits per caller, per address, and for failed authentication. */

const PATH = '/gateway/profile/clinic/book';
const NO_LIMITS: RateLimits = { caller: 0, address: 0, 'failed-authentication': 0 };

/** The address of the trusted proxy. */
const PROXY = '127.0.0.7';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start({ rateLimits: { ...NO_LIMITS }, trustedProxies: [PROXY, '10.0.0.0/8'] });
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

/** Sets the limits, and advances the clock to a minute in which nothing was counted. */
function limit(limits: Partial<RateLimits>): void {
  Object.assign(app.environment.rateLimits, NO_LIMITS, limits);
  app.clock.advance({ minutes: 1 });
}

const call = (token = clinic.clinicToken, path = PATH) => app.call('GET', path, { token });
const statusesOf = async (calls: (() => Promise<{ status: number }>)[]) => {
  const statuses: number[] = [];
  for (const each of calls) statuses.push((await each()).status);
  return statuses;
};
const times = <T>(count: number, each: T): T[] => Array<T>(count).fill(each);
const from = (change: AddressedRequest) => () =>
  callFromAddress(app, {
    path: PATH,
    ...change,
    headers: { authorization: `bearer ${clinic.clinicToken}`, ...change.headers },
  });
const forwarded = (value: string) => ({ 'x-forwarded-for': value });

describe('the limit of a caller', () => {
  it('allows the limit, returns the remaining number, and refuses further requests until the end of the minute', async () => {
    limit({ caller: 3 });
    app.clock.advance({ milliseconds: 12_500 });
    for (const left of [2, 1, 0]) {
      const { status, headers } = await call();
      expect([status, headers.get('ratelimit')]).toEqual([200, `"caller";r=${left};t=48`]);
      expect(headers.get('ratelimit-policy')).toBe('"caller";q=3;w=60');
    }
    const refused = await app.call('GET', PATH, {
      token: clinic.clinicToken,
      headers: { origin: 'https://app.example.org' },
    });
    expect(refused.status).toBe(429);
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'content-type': expect.stringMatching('^application/problem'),
      'retry-after': '48',
      ratelimit: '"caller";r=0;t=48',
      'cache-control': 'max-age=1, no-cache',
      'x-frame-options': 'DENY',
      'access-control-allow-origin': 'https://app.example.org',
    });
    expect(refused.headers.get('access-control-expose-headers')).toMatch(/retry-after,.* ratelimit, ratelimit-policy/);
    expect(refused.body).toEqual({
      type: 'urn:problem:too-many-requests',
      title: 'Too Many Requests',
      status: 429,
      detail: expect.stringContaining('Retry-After'),
      instance: expect.stringMatching(/^urn:uuid:/),
    });
    app.clock.advance({ milliseconds: 47_500 });
    expect((await call()).status).toBe(200);
  });

  it('counts callers with other records or roles separately', async () => {
    limit({ caller: 2 });
    const other = await app.createClinic();
    expect(await statusesOf(times(3, () => call()))).toEqual([200, 200, 429]);
    expect(await statusesOf(times(3, () => call(other.clinicToken)))).toEqual([200, 200, 429]);
    const sessions = () => call(clinic.careProviderToken, '/gateway/profile/caregiver/session');
    expect(await statusesOf(times(3, sessions))).toEqual([200, 200, 429]);
  });

  it('writes nothing for a request that is refused', async () => {
    limit({ caller: 1 });
    const create = () => app.call('POST', PATH, { token: clinic.clinicToken, body: { title: 'Another' } });
    expect(await statusesOf(times(3, create))).toEqual([201, 429, 429]);
    expect(await app.asSuperuser((em) => em.count(Book, { title: 'Another' }))).toBe(1);
  });

  it('is counted by the record and subject of a token, not by the token', async () => {
    limit({ caller: 2 });
    expect(await statusesOf([call, call].map((each) => () => each()))).toEqual([200, 200]);
    const renewed = await app.createToken('CLINIC', clinic.clinicId);
    expect((await call(renewed)).status).toBe(429);
    const colleagueIn = (clinicId: number) =>
      new SignJWT({ role: 'CLINIC', clinicId })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('colleague')
        .setIssuedAt()
        .setExpirationTime('10m')
        .sign(Buffer.from(TEST_JWT_SECRET));
    const [colleague, elsewhere] = [clinic.clinicId, (await app.createClinic()).clinicId].map(colleagueIn);
    expect(await statusesOf(times(3, async () => call(await colleague)))).toEqual([200, 200, 429]);
    expect((await call(await elsewhere)).status).toBe(200);
  });
});

describe('the limit of an address', () => {
  it('counts all requests: unknown paths, malformed requests, and public operations', async () => {
    limit({ address: 4 });
    const calls = [
      from({ path: '/nowhere' }),
      from({ path: '/design-plan/x' }),
      from({ path: '/metrics' }),
      () => app.call('POST', PATH, { token: clinic.clinicToken, raw: '{' }),
    ];
    expect(await statusesOf([...calls, ...calls])).toEqual([404, 400, 200, 400, 429, 429, 429, 429]);
  });

  it('never limits health probes', async () => {
    limit({ address: 1 });
    expect(await statusesOf(times(3, from({ path: '/openapi.json' })))).toEqual([200, 429, 429]);
    expect(await statusesOf([from({ path: '/health/live' }), from({ path: '/health/ready' })])).toEqual([200, 200]);
  });

  it('a forged address neither avoids the limit nor uses up that of another address', async () => {
    limit({ address: 3 });
    const forging = Array.from({ length: 6 }, (_, index) =>
      from({ headers: { ...forwarded(`127.0.0.${index + 2}`), forwarded: 'for=127.0.0.9', 'x-real-ip': '127.0.0.9' } }),
    );
    expect(await statusesOf(forging)).toEqual([200, 200, 200, 429, 429, 429]);
    expect(await statusesOf(times(4, from({ address: '127.0.0.2' })))).toEqual([200, 200, 200, 429]);
  });

  it('uses the last address that does not belong to a trusted proxy, and ignores the header of other callers', async () => {
    limit({ address: 2 });
    const proxied = (value: string) => from({ address: PROXY, headers: forwarded(value) });
    expect(await statusesOf(times(3, proxied('203.0.113.1')))).toEqual([200, 200, 429]);
    // Callers can claim any addresses, but only to the left of those that the proxies add.
    const claims = ['198.51.100.1, 203.0.113.2', '198.51.100.2, 203.0.113.2', 'x, 203.0.113.2, 10.1.2.3'];
    expect(await statusesOf(claims.map(proxied))).toEqual([200, 200, 429]);
    expect((await proxied('198.51.100.1')()).status).toBe(200);
    const stranger = times(3, from({ address: '127.0.0.8', headers: forwarded('203.0.113.3') }));
    expect(await statusesOf(stranger)).toEqual([200, 200, 429]);
    expect((await proxied('203.0.113.3')()).status).toBe(200);
  });

  it('uses the address of the proxy if the header contains no address', async () => {
    limit({ address: 2 });
    const proxied = (value: string) => from({ address: PROXY, headers: forwarded(value) });
    const nonsense = ['unknown', '9'.repeat(5_000), '203.0.113.1.evil', '_hidden'];
    expect(await statusesOf(nonsense.map(proxied))).toEqual([200, 200, 429, 429]);
  });

  it('uses the first 64 bits of an IPv6 address, and any form of an IPv4 address', async () => {
    limit({ address: 3 });
    const proxied = (value: string) => from({ address: PROXY, headers: forwarded(value) });
    const oneNetwork = ['2001:db8::1', '2001:DB8:0:0::ffff', '2001:0db8:0000:0000:1:2:3:4', '2001:db8::'];
    expect(await statusesOf(oneNetwork.map(proxied))).toEqual([200, 200, 200, 429]);
    expect((await proxied('2001:db8:0:1::1')()).status).toBe(200);
    const one = ['203.0.113.1', '::ffff:203.0.113.1', '::FFFF:203.0.113.1', '203.0.113.1'];
    expect(await statusesOf(one.map(proxied))).toEqual([200, 200, 200, 429]);
    expect((await proxied('::ffff:203.0.113.2')()).status).toBe(200);
  });
});

describe('the limit for invalid tokens', () => {
  const wrong = { authorization: 'bearer x.y.z' };

  it('answers 429 instead of 401 beyond the limit, to that address only', async () => {
    limit({ 'failed-authentication': 2 });
    const calls = [from({ headers: wrong }), () => callFromAddress(app, { path: PATH }), from({ headers: wrong })];
    expect(await statusesOf(calls)).toEqual([401, 401, 429]);
    const refused = await from({ headers: wrong })();
    expect(refused.headers).toMatchObject({
      'retry-after': '60',
      'content-type': expect.stringMatching('^application/problem'),
    });
    expect(refused.headers['www-authenticate']).toBeUndefined();
    expect((await from({ headers: wrong, address: '127.0.0.2' })()).status).toBe(401);
  });

  it('does not block callers at the same address who have a valid token', async () => {
    limit({ 'failed-authentication': 1 });
    expect(await statusesOf(times(3, from({ headers: wrong })))).toEqual([401, 429, 429]);
    expect(await statusesOf(times(3, from({})))).toEqual([200, 200, 200]);
    expect(await statusesOf(times(2, from({ path: '/openapi.json' })))).toEqual([200, 200]);
  });

  it('cannot be avoided with a forged address', async () => {
    limit({ 'failed-authentication': 2 });
    const forging = [1, 2, 3].map((last) => from({ headers: { ...wrong, ...forwarded(`203.0.113.${last}`) } }));
    expect(await statusesOf(forging)).toEqual([401, 401, 429]);
  });
});

it('names all limits that apply to a response', async () => {
  limit({ caller: 5, address: 9 });
  const { headers } = await call();
  expect(headers.get('ratelimit-policy')).toBe('"address";q=9;w=60, "caller";q=5;w=60');
  expect(headers.get('ratelimit')).toBe('"address";r=8;t=60, "caller";r=4;t=60');
});

it('has no limit and no header if limits are disabled', async () => {
  limit({});
  const answer = await call();
  expect([answer.status, answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')]).toEqual([
    200,
    null,
    null,
  ]);
});

it('is documented with every operation', async () => {
  limit({});
  const { paths } = await readOpenApiDocument(app);
  const operations = Object.values(
    paths as Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>,
  ).flatMap((path) => Object.values(path));
  expect(operations.length).toBeGreaterThan(100);
  for (const { responses } of operations) {
    expect(Object.keys(responses['429']?.headers ?? {})).toEqual(
      expect.arrayContaining(['Retry-After', 'RateLimit-Policy', 'RateLimit']),
    );
  }
});
