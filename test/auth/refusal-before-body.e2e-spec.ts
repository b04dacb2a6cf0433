import { connect, type Socket } from 'node:net';
import { DesignPlan } from '../../src/design-plan/index.js';
import { callFromAddress } from '../support/http/call-from-address.js';
import { sendRaw, type RawResponse } from '../support/http/raw-http.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests that a request is refused before its body is read, buffered or parsed. */

const PATH = '/gateway/profile/clinic/design-plan';
const ORIGIN = 'https://app.example.org';
const MIB = 1_048_576;
const PROXY = '127.0.0.7';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start({
    trustedProxies: [PROXY],
    rateLimits: { caller: 0, address: 0, 'failed-authentication': 0 },
    connectionLimits: { address: 0, all: 0 },
  });
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

/** Returns the request line and headers of a POST with a body of `length` bytes. */
const head = (headers: Record<string, string> = {}, { path = PATH, length = MIB } = {}) =>
  Object.entries({ host: 'x', 'content-type': 'application/json', 'content-length': String(length), ...headers })
    .reduce((text, [name, value]) => `${text}${name}: ${value}\r\n`, `POST ${path} HTTP/1.1\r\n`)
    .concat('\r\n');
const bearer = (token: string) => ({ authorization: `bearer ${token}` });
/** Sends only a part of the body, and returns all responses on the connection. */
const halfSent = (start: string) => sendRaw(app.url, start + ' '.repeat(1_000));
const statusesOf = (answers: readonly RawResponse[]) => answers.map(({ status }) => status);

describe('a body that has not been received', () => {
  it('is not waited for without a token: the usual response closes the connection', async () => {
    const startedAt = performance.now();
    const [answer, ...more] = await halfSent(head({ origin: ORIGIN }));
    // There is only one response. It arrives long before the timeout for receiving the request.
    expect([more, performance.now() - startedAt < 15_000]).toEqual([[], true]);
    expect(answer!.status).toBe(401);
    for (const line of ['connection: close', 'content-type: application/problem+json', 'www-authenticate: Bearer'])
      expect(answer!.head.toLowerCase()).toContain(line.toLowerCase());
    expect(answer!.head).toContain(`access-control-allow-origin: ${ORIGIN}`);
    expect(answer!.head).toContain('x-frame-options: DENY');
    expect(JSON.parse(answer!.body)).toMatchObject({ type: 'urn:problem:unauthenticated', status: 401 });
  });

  it.each<[number, string, () => string]>([
    [401, 'of a token that does not hold', () => head(bearer('x.y.z'))],
    [403, 'of another role', () => head(bearer(clinic.careProviderToken))],
    [404, 'for a path that is not there', () => head({}, { path: '/nowhere' })],
    [401, 'of an import', () => head({ 'content-type': 'application/x-ndjson' }, { path: `${PATH}/import` })],
    [413, 'of a link that needs no token', () => head({}, { path: '/reminder/opt-out/session/secret' })],
  ])('is answered with %i at once: that %s', async (status, _, start) => {
    const answers = await halfSent(start());
    expect(statusesOf(answers)).toEqual([status]);
    expect(answers[0]!.head).toMatch(/connection: close/i);
  });

  it('is refused by the rate limit of the caller', async () => {
    app.environment.rateLimits.caller = 1;
    app.clock.advance({ minutes: 1 });
    const call = () => app.call('GET', PATH, { token: clinic.clinicToken });
    expect([(await call()).status, statusesOf(await halfSent(head(bearer(clinic.clinicToken))))]).toEqual([200, [429]]);
    app.environment.rateLimits.caller = 0;
  });

  it('is not requested with 100 Continue', async () => {
    const text = await firstBytes(head({ expect: '100-continue' }));
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(await firstBytes(head({ expect: '100-continue', ...bearer(clinic.clinicToken) }))).toMatch(
      /^HTTP\/1\.1 100 Continue/,
    );
  });

  it('is recorded in the audit trail, and counts as failed authentication', async () => {
    app.environment.rateLimits['failed-authentication'] = 1;
    app.clock.advance({ minutes: 1 });
    expect([...(await halfSent(head())), ...(await halfSent(head()))].map(({ status }) => status)).toEqual([401, 429]);
    app.environment.rateLimits['failed-authentication'] = 0;
    const admin = await app.createToken('ADMIN');
    const { body } = await app.call('GET', '/gateway/admin/audit?outcome=401&limit=200', { token: admin });
    expect(body.items).toContainEqual(
      expect.objectContaining({ outcome: '401', operation: `POST ${PATH}`, actorRole: 'NOBODY' }),
    );
  });
});

it('does not parse a body without a token', async () => {
  expect((await app.call('POST', PATH, { raw: '{' })).status).toBe(401);
  expect((await app.call('POST', PATH, { raw: '{', token: clinic.clinicToken })).status).toBe(400);
});

it('lets a caller who first sends a whole large body read the response', async () => {
  for (let times = 0; times < 5; times += 1) {
    const answer = await app.call('POST', PATH, { raw: Buffer.alloc(8 * MIB, 0x20) });
    expect([answer.status, answer.headers.get('connection')]).toEqual([401, 'close']);
  }
});

it('ignores further requests on the connection after a refusal', async () => {
  const plan = '{"planName":"Smuggled"}';
  const second = head({ ...bearer(clinic.clinicToken) }, { length: plan.length }) + plan;
  expect(statusesOf(await sendRaw(app.url, head({}, { length: 2 }) + '{}' + second))).toEqual([401]);
  const socket = connect(portOf(app), '127.0.0.1', () => socket.write(head({}, { length: 10 }) + '{}'));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.write(' '.repeat(8) + second);
  await new Promise((resolve) => socket.resume().once('close', resolve));
  expect(await app.asSuperuser((em) => em.count(DesignPlan, {}))).toBe(0);
});

it('buffers no bodies of callers without a token', async () => {
  const [connections, body] = [100, Buffer.alloc(MIB - 1, 0x20)];
  const before = process.memoryUsage().arrayBuffers;
  let answered = 0;
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(portOf(app), '127.0.0.1', () => socket.write(head()) && socket.write(body));
    socket.once('data', () => (answered += 1));
    return socket.on('error', () => undefined);
  });
  await waitFor(() => answered === connections);
  // If the bodies were read, at least half of the sent bytes would be in memory, even if buffers are collected late.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan((connections * MIB) / 2);
  await waitFor(() => sockets.every((socket) => socket.closed));
});

it.each([
  ['whose length is announced', head()],
  ['in chunks', head({ 'transfer-encoding': 'chunked' }).replace(/content-length: .*\r\n/, '') + '100000\r\n'],
])('does not receive the rest of a refused body %s', async (_, start) => {
  let received: Socket | undefined;
  app.nest.getHttpServer().once('connection', (socket: Socket) => (received = socket));
  const socket = connect(portOf(app), '127.0.0.1', () => socket.write(start) && socket.write(Buffer.alloc(MIB, 0x20)));
  socket.on('error', () => undefined).resume();
  await new Promise((resolve) => socket.once('close', resolve));
  await waitFor(() => received!.closed);
  // At most the bound and the chunk that exceeds it, of 64 KiB each, and the chunk with the headers.
  expect(received!.bytesRead).toBeLessThanOrEqual(3 * 65_536);
});

describe('connections', () => {
  const open = new Set<Socket>();
  afterEach(async () => {
    Object.assign(app.environment.connectionLimits, { address: 0, all: 0 });
    for (const socket of open) socket.destroy();
    open.clear();
  });

  /** Opens connections without sending a request. */
  async function hold(count: number, localAddress: string): Promise<Socket[]> {
    const sockets = Array.from({ length: count }, () =>
      connect({ port: portOf(app), host: '127.0.0.1', localAddress }).on('error', () => undefined),
    );
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of sockets) open.add(socket);
    return sockets;
  }
  const get = (address: string, path = PATH) =>
    callFromAddress(app, { address, path, headers: { ...bearer(clinic.clinicToken), origin: ORIGIN } });

  it('of one address are limited, without affecting others', async () => {
    app.environment.connectionLimits.address = 3;
    const [first] = await hold(3, '127.0.0.2');
    const refused = await get('127.0.0.2');
    expect(refused.status).toBe(503);
    expect(refused.headers).toMatchObject({
      ...{ 'retry-after': '5', connection: 'close', 'access-control-allow-origin': ORIGIN },
      'content-type': expect.stringMatching('^application/problem'),
    });
    expect((await get('127.0.0.3')).status).toBe(200);
    first!.destroy();
    await waitFor(async () => (await get('127.0.0.2')).status === 200);
  });

  it('are limited in total, except for probes and trusted proxies', async () => {
    app.environment.connectionLimits.all = 5;
    await hold(3, '127.0.0.2');
    await hold(20, PROXY);
    await waitFor(async () => (await get('127.0.0.4')).status === 200);
    await hold(2, '127.0.0.3');
    expect((await get('127.0.0.4')).status).toBe(503);
    const probe = await get('127.0.0.4', '/health/live');
    expect([probe.status, probe.headers['connection']]).toEqual([200, 'close']);
    expect((await get(PROXY)).status).toBe(200);
  });

  it('beyond the limits are closed if they are idle; a new one replaces the oldest', async () => {
    app.environment.connectionLimits.address = 1;
    await hold(1, '127.0.0.5');
    await waitFor(async () => (await get('127.0.0.5')).status === 503);
    const surplus = await hold(150, '127.0.0.5');
    const left = () => surplus.filter((socket) => !socket.closed).length;
    for (const socket of surplus) socket.resume();
    await waitFor(() => left() <= 100);
    expect((await get('127.0.0.5', '/health/live')).status).toBe(200);
    await waitFor(() => left() === 0);
  });
});

const portOf = ({ url }: TestApp) => Number(new URL(url).port);

/** Sends the headers of a request without its body, and returns the first bytes of the response. */
function firstBytes(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(portOf(app), '127.0.0.1', () => socket.write(text));
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk.toString());
    });
    socket.on('error', reject);
  });
}
