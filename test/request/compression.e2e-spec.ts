import { request, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { SPECIFIED_RESPONSE_HEADERS } from '../../src/shared/http/index.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests which responses are compressed, and that compression changes nothing else about a response. */

const PLAN = '/gateway/profile/clinic/design-plan';
const CALENDAR_LINK = '/gateway/profile/caregiver/calendar-link';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

type RawResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer };
type RawOptions = { method?: string; encoding?: string; headers?: Record<string, string>; body?: string | Buffer };

/** Sends a request. Unlike `fetch`, decodes nothing and adds no `Accept-Encoding` by itself. */
function call(path: string, { method = 'GET', encoding, headers = {}, body }: RawOptions = {}): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const accepted = encoding === undefined ? {} : { 'accept-encoding': encoding };
    const sent = request(new URL(path, app.url), { method, headers: { ...accepted, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
      answer.on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
}

const asClinic = () => ({ authorization: `bearer ${clinic.clinicToken}` });
const asCareProvider = () => ({ authorization: `bearer ${clinic.careProviderToken}` });
const createPlan = (planName: string, weeks: object[] = [], encoding?: string) =>
  call(PLAN, {
    method: 'POST',
    headers: { ...asClinic(), 'content-type': 'application/json' },
    body: JSON.stringify({ planName, weeks }),
    ...(encoding === undefined ? {} : { encoding }),
  });

/** Omits headers that depend on the time or on the request. */
const comparable = ({ headers }: RawResponse) => {
  const { date: _, 'content-encoding': __, 'content-length': ___, 'transfer-encoding': ____, ...rest } = headers;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('ratelimit')));
};

it.each([
  ['gzip', 'gzip', gunzipSync],
  ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
  ['*', 'gzip', gunzipSync],
] as const)('a large response to a caller that accepts %s is sent as %s', async (accepted, used, decode) => {
  const plain = await call('/openapi.json');
  const compressed = await call('/openapi.json', { encoding: accepted });
  expect([plain.headers['content-encoding'], compressed.headers['content-encoding']]).toEqual([undefined, used]);
  expect(decode(compressed.body).equals(plain.body)).toBe(true);
  expect(compressed.body.length).toBeLessThan(plain.body.length / 5);
  expect(comparable(compressed)).toEqual(comparable(plain));
  expect(compressed.headers).toMatchObject({ ...SPECIFIED_RESPONSE_HEADERS, vary: 'Origin, accept-encoding' });
});

it.each(['identity', 'deflate', 'gzip;q=0', ''])(
  'a caller that accepts only "%s" gets an uncompressed response',
  async (encoding) => {
    const { status, headers } = await call('/openapi.yaml', { encoding });
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, undefined, 'Origin, accept-encoding']);
  },
);

describe('for a caller that accepts gzip', () => {
  const encoding = 'gzip';

  it('compresses pages, scripts, lists and lines, and keeps `no-store`', async () => {
    for (let index = 0; index < 12; index += 1) await createPlan(`Plan ${index} ${'of many words '.repeat(10)}`);
    const paths = ['/docs', '/docs/swagger-ui-bundle.js', `${PLAN}?limit=20`, '/gateway/profile/clinic/audit/export'];
    for (const path of paths) {
      const answer = await call(path, { encoding, headers: asClinic() });
      expect([path, answer.status, answer.headers['content-encoding']]).toEqual([path, 200, 'gzip']);
      expect(gunzipSync(answer.body).length).toBeGreaterThan(answer.body.length);
    }
    const lines = await call(paths[3]!, { encoding, headers: asClinic() });
    expect(lines.headers['cache-control']).toContain('no-store');
    const entries = gunzipSync(lines.body).toString().trimEnd().split('\n');
    expect(entries.map((line) => typeof (JSON.parse(line) as { id: number }).id)).toEqual(entries.map(() => 'number'));
  });

  it('does not compress short and empty responses', async () => {
    const created = await createPlan('Short', [], encoding);
    expect([created.status, created.headers['content-length'], created.body.length]).toEqual([201, '0', 0]);
    const live = await call('/health/live', { encoding });
    const missing = await call('/nowhere', { encoding });
    const preflight = await call(PLAN, {
      method: 'OPTIONS',
      encoding,
      headers: { 'access-control-request-method': 'GET' },
    });
    expect([live.status, missing.status, preflight.status]).toEqual([200, 404, 204]);
    for (const { headers } of [created, live, missing, preflight]) {
      expect([headers['content-encoding'], headers.vary?.includes('accept-encoding') ?? false]).toEqual([
        undefined,
        false,
      ]);
    }
  });

  it('does not compress a response with a strong ETag, which identifies exact bytes', async () => {
    const weeks = Array.from({ length: 40 }, () => ({ assignments: [{ bookId: clinic.ownBookId }] }));
    const { headers } = await createPlan('Long', weeks);
    const plan = await call(headers.location!, { encoding, headers: asClinic() });
    expect(plan.body.length).toBeGreaterThan(1_024);
    expect([plan.headers.etag, plan.headers['content-encoding']]).toEqual(['"1"', undefined]);
  });

  it('compresses calendars, whose ETag is weak, and answers 304 without a body', async () => {
    const made = await app.call('POST', CALENDAR_LINK, { token: clinic.careProviderToken, body: {} });
    const body = { clientId: clinic.clientIds[0], date: '2027/03/22', time: '09:30', title: 'A', sessionCount: 10 };
    await app.call('POST', '/gateway/profile/caregiver/session', { token: clinic.careProviderToken, body });
    const { pathname } = new URL(made.body.url as string);
    const feed = await call(pathname, { encoding });
    expect([feed.headers['content-encoding'], feed.headers.etag]).toEqual(['gzip', expect.stringMatching(/^W\//)]);
    expect(gunzipSync(feed.body).toString()).toMatch(/^BEGIN:VCALENDAR\r\n/);
    const again = await call(pathname, { encoding, headers: { 'if-none-match': feed.headers.etag! } });
    expect([again.status, again.body.length, again.headers['content-encoding']]).toEqual([304, 0, undefined]);
    expect(again.headers.vary).toBe(feed.headers.vary);
  });

  it.each([
    ['of a list that is compressed', 'GET', `${PLAN}?limit=20`, 'Origin, authorization, acting-role, accept-encoding'],
    ['of a list that is compressed', 'HEAD', `${PLAN}?limit=20`, 'Origin, authorization, acting-role, accept-encoding'],
    ['of a list that is too short', 'GET', `${PLAN}?name=nothing`, 'Origin, authorization, acting-role'],
  ])('answers 304 with the Vary %s (%s)', async (_what, method, path, vary) => {
    for (let index = 0; index < 12; index += 1) await createPlan(`Plan ${index} ${'of many words '.repeat(10)}`);
    const list = await call(path, { encoding, headers: asClinic() });
    const headers = { ...asClinic(), 'if-none-match': list.headers.etag! };
    const again = await call(path, { method, encoding, headers });
    expect([list.status, again.status]).toEqual([200, 304]);
    expect([list.headers.vary, again.headers.vary, again.headers['content-type']]).toEqual([vary, vary, undefined]);
  });

  it('answers HEAD without a body, as for the plain response', async () => {
    const list = `/gateway/profile/caregiver/session?limit=20`;
    const [head, get] = [
      await call(list, { method: 'HEAD', encoding, headers: asCareProvider() }),
      await call(list, { encoding, headers: asCareProvider() }),
    ];
    expect([head.status, head.body.length, head.headers['content-encoding']]).toEqual([200, 0, undefined]);
    expect(Number(head.headers['content-length'])).toBe(gunzipSync(get.body).length);
    expect(comparable(head)).toEqual(comparable(get));
  });

  it('still refuses compressed request bodies', async () => {
    const body = gzipSync(JSON.stringify({ planName: 'Compressed' }));
    const headers = { ...asClinic(), 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await call(PLAN, { method: 'POST', encoding, headers, body })).status).toBe(415);
  });
});
