import { DesignPlan } from '../../src/design-plan/index.js';
import { Session } from '../../src/session/index.js';
import { sendRaw, type RawResponse } from '../support/http/raw-http.js';
import { TestApp, type TestResponse, type RequestOptions, type ClinicFixture } from '../support/app/test-app.js';

/* Tests hostile requests: each gets the expected problem, and a refused request stores nothing. */

const PLAN = '/gateway/profile/clinic/design-plan';
const SESSION = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
  );
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const deepObjects = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
const json = (body: unknown): RequestOptions => ({ body });
const raw = (text: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): RequestOptions => ({
  raw: text,
  headers,
});
const named = (rest: string) => `{"planName":"A",${rest}}`;

const PLANS: [what: string, status: number, call: () => RequestOptions][] = [
  ['arrays nested 40,000 deep', 400, () => raw(deep(40_000))],
  ['objects nested 40,000 deep', 400, () => raw(deepObjects(40_000))],
  ['an unknown field nested 40,000 deep', 400, () => raw(named(`"x":${deep(40_000)}`))],
  ['an unknown field nested 33 deep', 400, () => raw(named(`"x":${deep(33)}`))],
  ['an unknown field nested 31 deep', 201, () => raw(named(`"x":${deep(31)}`))],
  ['unclosed brackets', 400, () => raw('['.repeat(20))],
  ['brackets in a string', 201, () => raw(named(`"appointmentDesc":"${'['.repeat(3_000)}"`))],
  ['NUL as an escape', 400, () => raw('{"planName":"a\\u0000b"}')],
  ['NUL as a byte', 400, () => raw(bytes('{"planName":"a', [0], 'b"}'))],
  ['NUL in a week', 400, () => json({ planName: 'A', weeks: [{ name: '\0x' }] })],
  ['NUL in the name of an unknown field', 201, () => json({ planName: 'A', 'x\0y': 1 })],
  ['a lone high surrogate', 400, () => raw('{"planName":"\\ud800"}')],
  ['a lone low surrogate', 400, () => raw('{"planName":"\\udfffx"}')],
  ['surrogates the wrong way round', 400, () => raw('{"planName":"\\udc00\\ud800"}')],
  ['__proto__', 201, () => raw(named('"__proto__":{"planName":"evil","isAdmin":true}'))],
  ['only __proto__ has the name', 400, () => raw('{"__proto__":{"planName":"evil"}}')],
  ['constructor.prototype', 201, () => raw(named('"constructor":{"prototype":{"polluted":true}}'))],
  ['__proto__ in a week', 201, () => raw(named('"weeks":[{"__proto__":{"ordering":-5}}]'))],
  ['an id of 2^53', 400, () => raw(named('"caregiverId":9007199254740992'))],
  ['an id of 2^63', 400, () => raw(named('"caregiverId":9223372036854775808'))],
  ['the largest safe id, which is unused', 422, () => raw(named('"caregiverId":9007199254740991'))],
  ['an id of 1e999', 400, () => raw(named('"caregiverId":1e999'))],
  ['an id of -0', 201, () => raw(named('"caregiverId":-0'))],
  ['an id of 1.0000000000000001', 422, () => raw(named('"caregiverId":9e15'))],
  ['a negative id', 400, () => raw(named('"caregiverId":-1'))],
  ['NaN', 400, () => raw(named('"caregiverId":NaN'))],
  ['hexadecimal', 400, () => raw(named('"caregiverId":0x10'))],
  ['ordering 2^53', 400, () => raw(named('"weeks":[{"ordering":9007199254740992}]'))],
  ['2 MiB', 413, () => json({ planName: 'A', appointmentDesc: 'x'.repeat(2_097_152) })],
  ['just over 1 MiB of white space', 413, () => raw(named('"x":1') + ' '.repeat(1_048_576))],
  ['just under 1 MiB of white space', 201, () => raw(named('"x":1') + ' '.repeat(1_048_000))],
  ['100,000 weeks', 400, () => raw(named(`"weeks":[${Array(100_000).fill('{}').join()}]`))],
  ['100,000 wrong weeks', 400, () => raw(named(`"weeks":[${Array(100_000).fill('1').join()}]`))],
  ['100,000 unknown fields', 201, () => raw(named(Array.from({ length: 80_000 }, (_, n) => `"f${n}":1`).join()))],
  ['an empty body', 400, () => raw('')],
  ['white space', 400, () => raw('  ')],
  ['null', 400, () => raw('null')],
  ['a list', 400, () => raw('[{"planName":"A"}]')],
  ['a string', 400, () => raw('"planName"')],
  ['a number', 400, () => raw('1')],
  ['half an object', 400, () => raw('{"planName":"A"')],
  ['two objects', 400, () => raw('{"planName":"A"}{"planName":"B"}')],
  ['a trailing comma', 400, () => raw('{"planName":"A",}')],
  ['a comment', 400, () => raw('{"planName":"A"/*x*/}')],
  ['single quotes', 400, () => raw("{'planName':'A'}")],
  ['a line break in a string', 400, () => raw('{"planName":"A\nB"}')],
  ['duplicate keys: the last counts', 201, () => raw('{"planName":"A","planName":"B"}')],
  ['duplicate keys: the last is wrong', 400, () => raw('{"planName":"A","planName":5}')],
  ['invalid UTF-8', 400, () => raw(bytes('{"planName":"', [0xc3, 0x28], '"}'))],
  ['an overlong encoding', 400, () => raw(bytes('{"planName":"', [0xc0, 0xaf], '"}'))],
  ['a surrogate in UTF-8', 400, () => raw(bytes('{"planName":"', [0xed, 0xa0, 0x80], '"}'))],
  ['UTF-16', 400, () => raw(new Uint8Array(Buffer.from('{"planName":"A"}', 'utf16le')))],
  ['a byte order mark', 201, () => raw(bytes([0xef, 0xbb, 0xbf], '{"planName":"A"}'))],
  ['no content type', 415, () => raw(bytes('{"planName":"A"}'), { 'content-type': '' })],
  ['text/plain', 415, () => raw('{"planName":"A"}', { 'content-type': 'text/plain' })],
  ['a form', 415, () => raw('planName=A', { 'content-type': 'application/x-www-form-urlencoded' })],
  ['a long form', 415, () => raw(`a=${'A'.repeat(2_000)}`, { 'content-type': 'application/x-www-form-urlencoded' })],
  ['text/json', 415, () => raw('{"planName":"A"}', { 'content-type': 'text/json' })],
  ['a nonsense content type', 415, () => raw('{"planName":"A"}', { 'content-type': 'application/json, text/plain' })],
  ['charset UTF-16', 415, () => raw('{"planName":"A"}', { 'content-type': 'application/json; charset=utf-16' })],
  ['charset UTF-7', 415, () => raw('{"planName":"A"}', { 'content-type': 'application/json;charset=UTF-7' })],
  ['a compressed body', 415, () => raw('{"planName":"A"}', { 'content-encoding': 'gzip' })],
  ['20 KiB of headers', 431, () => ({ ...json({ planName: 'A' }), headers: { 'x-long': 'x'.repeat(20_000) } })],
  [
    'SQL in every string',
    201,
    () => json({ planName: SQL, appointmentTitle: SQL, appointmentDesc: SQL, weeks: [{ name: SQL }] }),
  ],
  ['SQL as a date', 400, () => json({ planName: 'A', createdDate: SQL })],
  ['SQL as an id', 400, () => json({ planName: 'A', caregiverId: SQL })],
  [
    'a regular expression bomb as a date',
    400,
    () => json({ planName: 'A', createdDate: '2023-01-01T00:00:00.' + '0'.repeat(100_000) }),
  ],
  ['an annotated ISO date', 400, () => json({ planName: 'A', createdDate: '2023-01-01T00:00Z[Europe/London]' })],
  ['an expanded year', 400, () => json({ planName: 'A', createdDate: '+012023-01-01T00:00Z' })],
];
const SQL = "'; drop table session; select pg_sleep(9) --";

const SESSIONS: [what: string, status: number, change: object][] = [
  ['SQL in every string', 201, { title: SQL, description: SQL }],
  ['SQL as date', 400, { date: SQL }],
  ['SQL as time', 400, { time: SQL }],
  ['SQL as Client', 400, { clientId: SQL }],
  ['SQL as Books', 400, { bookIdList: [SQL] }],
  ['SQL as reminders', 400, { reminders: [SQL] }],
  ['a duration of a billion years', 400, { reminders: ['P1000000000Y'] }],
  ['a duration with 400 digits', 400, { reminders: [`PT${'9'.repeat(400)}S`] }],
  ['a million Sessions', 400, { sessionCount: 1_000_000 }],
  ['1e999 Sessions', 400, { sessionCount: Infinity }],
  ['10,000 Books', 400, { bookIdList: Array(10_000).fill(1) }],
  ['an object as title', 400, { title: { toString: 'x' } }],
  ['NUL in the description', 400, { description: 'a\0' }],
  ['a lone surrogate in the title', 400, { title: '\ud800' }],
  ['a date of Arabic digits', 400, { date: '٢٠٢٧/٠٣/٠١' }],
  ['a full-width time', 400, { time: '０９:３０' }],
  ['the end of time', 400, { date: '9999/12/31', sessionCount: 2 }],
  ['a huge title', 400, { title: 'x'.repeat(500_000) }],
];

const HEADERS: [what: string, status: number, headers: Record<string, string>][] = [
  ['a huge token', 401, { authorization: `bearer ${'a'.repeat(8_000)}` }],
  ['a token of dots', 401, { authorization: 'bearer ..' }],
  ['no scheme', 401, { authorization: 'abc' }],
  ['basic credentials', 401, { authorization: 'basic YTpi' }],
  ['an empty Authorization', 401, { authorization: '' }],
  ['two tokens', 401, { authorization: 'bearer a, bearer b' }],
];

const PATHS: [method: string, path: string, status: number][] = [
  ['GET', '/design-plan/%00', 400],
  ['GET', '/design-plan/%zz', 400],
  ['GET', '/design-plan/1%27%20or%201=1', 400],
  ['GET', '/design-plan/99999999999999999999', 400],
  ['GET', '/design-plan/-1', 400],
  ['GET', '/design-plan/1e3', 400],
  ['GET', `/design-plan/${'9'.repeat(2_000)}`, 414],
  ['GET', '/design-plan/..%2f..%2fetc%2fpasswd', 400],
  ['GET', '/design-plan/../../etc/passwd', 404],
  ['GET', '/%2e%2e/%2e%2e/etc/passwd', 404],
  ['GET', '//design-plan/1', 404],
  ['PUT', PLAN, 404],
  ['DELETE', SESSION, 404],
  ['TRACE', PLAN, 404],
];

it.each(['/design-plan/%zz', `/design-plan/${'9'.repeat(2_000)}`])(
  'the answer to a malformed URL can be read by pages of an allowed origin: %.20s',
  async (path) => {
    const origin = 'https://app.example.org';
    const answer = await app.call('GET', path, { headers: { origin } });
    const names = ['access-control-allow-origin', 'vary'];
    expect(names.map((name) => answer.headers.get(name))).toEqual([origin, 'Origin']);
    const other = await app.call('GET', path, { headers: { origin: 'https://other.example.org' } });
    expect(other.headers.get('access-control-allow-origin')).toBe(app.environment.publicUrl);
  },
);

function expectProblem(answer: TestResponse): void {
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer.body).toMatchObject({
    type: expect.stringMatching(/^urn:problem:[a-z-]+$/),
    title: expect.any(String),
    status: answer.status,
    detail: expect.any(String),
    instance: expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/),
  });
  expect(answer.text).not.toMatch(/node_modules|\.ts:|select |insert |stack|drop table|SyntaxError/i);
  expect(answer.text.length).toBeLessThan(30_000);
}

function expectSpecifiedHeaders(answer: TestResponse): void {
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'cache-control': expect.stringContaining('max-age=1, no-cache'),
    pragma: 'no-cache',
    expires: '0',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-xss-protection': '1; mode=block',
  });
}

const stored = (kind: typeof DesignPlan | typeof Session) => app.asSuperuser((em) => em.count<object>(kind, {}));

async function expectAnswer(
  answer: TestResponse,
  status: number,
  before: number,
  kind: typeof DesignPlan | typeof Session,
) {
  expect(answer.status).toBe(status);
  expectSpecifiedHeaders(answer);
  if (status >= 400) expectProblem(answer);
  expect(await stored(kind)).toBe(before + (status === 201 ? 1 : 0));
}

it('contains at least 60 cases', () => {
  expect(PLANS.length + SESSIONS.length + HEADERS.length + PATHS.length).toBeGreaterThanOrEqual(60);
});

it.each(PLANS)('a plan with %s: %i', async (_what, status, call) => {
  const before = await stored(DesignPlan);
  const answer = await app.call('POST', PLAN, { token: clinic.clinicToken, ...call() });
  await expectAnswer(answer, status, before, DesignPlan);
});

it.each(SESSIONS)('Sessions with %s: %i', async (_what, status, change) => {
  const before = await stored(Session);
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  const text = JSON.stringify(body, (_key, value: unknown) => (value === Infinity ? '1e999' : value)).replace(
    '"1e999"',
    '1e999',
  );
  const answer = await app.call('POST', SESSION, { token: clinic.careProviderToken, raw: text });
  await expectAnswer(answer, status, before, Session);
});

it.each(HEADERS)('%s: %i', async (_what, status, headers) => {
  const answer = await app.call('POST', PLAN, { body: { planName: 'A' }, headers });
  expect(answer.status).toBe(status);
  expectProblem(answer);
  expectSpecifiedHeaders(answer);
});

it.each(PATHS)('%s %s: %i', async (method, path, status) => {
  const [{ status: answered, head, body }] = (await sendRaw(
    app.url,
    `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: bearer ${clinic.clinicToken}\r\nconnection: close\r\n\r\n`,
  )) as [RawResponse];
  expect(answered).toBe(status);
  expect(head).toMatch(/content-type: application\/problem\+json/i);
  expect(JSON.parse(body)).toMatchObject({ status });
});

it('the service still works afterwards, and no prototype was polluted', async () => {
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect((await app.call('GET', '/health/ready')).status).toBe(200);
  // The names are encrypted, so they are compared here and not in the database.
  const names = (await app.asSuperuser((em) => em.find(DesignPlan, {}))).map(({ planName }) => planName);
  const count = (planName: string) => names.filter((name) => name === planName).length;
  expect(count(SQL)).toBe(1);
  expect(count('B')).toBe(1);
  expect(count('evil')).toBe(0);
});
