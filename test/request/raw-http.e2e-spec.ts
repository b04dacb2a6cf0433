import { DesignPlan } from '../../src/design-plan/index.js';
import { sendRaw } from '../support/http/raw-http.js';
import { TestApp } from '../support/app/test-app.js';

/*
 * Sends bytes that no HTTP client would send. Each case must get a 4xx problem or no response, the connection must be
 * closed, and nothing may be executed. In particular, no second request hidden in or behind the first one may be
 * executed.
 */

const PLAN = '/gateway/profile/clinic/design-plan';
/** The connection is closed without a response. */
const CLOSED = 0;

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await TestApp.start();
  token = (await app.createClinic()).clinicToken;
});
afterAll(() => app.stop());

const lines = (...of: string[]) => of.map((line) => `${line}\r\n`).join('');
const BODY = '{"planName":"Raw"}';
/** Returns a request that would create a plan, with additional headers and this body. */
const post = (headers: readonly string[], body = BODY, version = 'HTTP/1.1') =>
  lines(`POST ${PLAN} ${version}`, 'host: x', 'authorization: bearer {token}', 'content-type: application/json') +
  lines(...headers, '') +
  body;
const get = (headers: readonly string[], target = '/nowhere') => lines(`GET ${target} HTTP/1.1`, ...headers, '');
const SMUGGLED = post([`content-length: ${BODY.length}`, 'connection: close']);
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const chunked = (body: string) => post(['transfer-encoding: chunked'], body);
const LAST = '0\r\n\r\n';
const CLIENT_HELLO = Buffer.from(
  '16030100a5010000a10303' +
    '5a'.repeat(32) +
    '20' +
    '6b'.repeat(32) +
    '0006130113021303' +
    '0100' +
    '0052' +
    '00'.repeat(82),
  'hex',
);
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const UPGRADE = ['host: x', 'connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'];
const WEB_SOCKET = [
  'host: x',
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];
const many = (count: number) => Array.from({ length: count }, (_, n) => `x-${n}: 1`);

/**
 * Size of a request in bytes from which a missing response is accepted. A connection that is closed with unread bytes
 * may be reset before the client has read the response.
 */
const MUCH = 65_536;

type Row = [what: string, statuses: number[], bytes: string | Buffer, endsItself?: boolean];

const FRAMING: Row[] = [
  [
    'both lengths, hidden behind the chunks (CL.TE)',
    [400],
    post(['content-length: 5', 'transfer-encoding: chunked'], LAST + SMUGGLED),
  ],
  [
    'both lengths, hidden in a chunk (TE.CL)',
    [400],
    post(['transfer-encoding: chunked', 'content-length: 4'], chunk(SMUGGLED) + LAST),
  ],
  ['an encoding that only resembles chunked', [400], post(['transfer-encoding: xchunked'], LAST + SMUGGLED)],
  ['chunked in quotes', [400], post(['transfer-encoding: "chunked"'], LAST + SMUGGLED)],
  ['chunked after a vertical tab', [400], post(['transfer-encoding: \x0bchunked'], LAST + SMUGGLED)],
  ['chunked that is not the last encoding', [400], post(['transfer-encoding: chunked, identity'], LAST + SMUGGLED)],
  [
    'chunked, and once more something else (TE.TE)',
    [400],
    post(['transfer-encoding: chunked', 'transfer-encoding: x'], LAST + SMUGGLED),
  ],
  ['chunked twice', [400], post(['transfer-encoding: chunked, chunked'], chunk(BODY) + LAST)],
  ['compressed chunks', [400], post(['transfer-encoding: gzip, chunked'], chunk(BODY) + LAST)],
  [
    'a space before the colon of the encoding',
    [400],
    post(['transfer-encoding : chunked', 'content-length: 5'], LAST + SMUGGLED),
  ],
  ['chunks in HTTP/1.0', [400], post(['transfer-encoding: chunked'], chunk(BODY) + LAST, 'HTTP/1.0')],
  ['two lengths', [400], post(['content-length: 18', 'content-length: 0'])],
  ['the same length twice', [400], post(['content-length: 18', 'content-length: 18'])],
  ['a list of lengths', [400], post(['content-length: 18, 18'])],
  ['a negative length', [400], post(['content-length: -18'])],
  ['a length with a sign', [400], post(['content-length: +18'])],
  ['a hexadecimal length', [400], post(['content-length: 0x12'])],
  ['a length with an exponent', [400], post(['content-length: 1e1'])],
  ['a length in two words', [400], post(['content-length: 1 8'])],
  ['an empty length', [400], post(['content-length:'])],
  ['a length beyond 64 bits', [400], post(['content-length: 18446744073709551634'])],
  ['a length of a terabyte', [413], post(['content-length: 1000000000000'])],
  ['a length that is shorter than the body', [400], post(['content-length: 5'], BODY + SMUGGLED)],
  ['a body that ends before its length', [400], post(['content-length: 100']), true],
  ['a chunk size beyond 64 bits', [400], chunked(`fffffffffffffffff\r\n${BODY}\r\n${LAST}`)],
  ['a negative chunk size', [400], chunked(`-1\r\n${BODY}\r\n${LAST}`)],
  ['a chunk size with 0x', [400], chunked(`0x12\r\n${BODY}\r\n${LAST}`)],
  ['a chunk size after a space', [400], chunked(` 12\r\n${BODY}\r\n${LAST}`)],
  ['a chunk without a size', [400], chunked(`\r\n${BODY}\r\n${LAST}`)],
  ['a chunk that is longer than its size', [400], chunked(`2\r\n${BODY}\r\n${LAST}`)],
  ['a chunk without its line end', [400], chunked(`12\r\n${BODY}${LAST}`)],
  ['chunks with line feeds alone', [400], chunked(`12\n${BODY}\n0\n\n`)],
  ['a chunk size that ends with a carriage return alone', [400], chunked(`12\r${BODY}\r\n${LAST}`)],
  ['a chunk extension with a line feed', [400], chunked(`12;x\n${BODY}\r\n${LAST}`)],
  ['a chunk extension of 100 KiB', [413], chunked(`12;${'x'.repeat(102_400)}\r\n${BODY}\r\n${LAST}`)],
  [
    'white space in a hundred chunks with 1 KiB of extensions each',
    [400],
    chunked(
      Array(100)
        .fill(`1;${'x'.repeat(1_024)}\r\n \r\n`)
        .join('') + LAST,
    ),
  ],
  ['chunks without an end', [400], chunked(chunk(BODY)), true],
  ['chunks of more than the body may have', [413], chunked(chunk(' '.repeat(1_100_000)) + LAST)],
  [
    'a token in a trailer',
    [401],
    lines(`POST ${PLAN} HTTP/1.1`, 'host: x', 'content-type: application/json', 'connection: close') +
      lines('transfer-encoding: chunked', '') +
      `${chunk(BODY)}0\r\nauthorization: bearer {token}\r\n\r\n`,
  ],
  ['a length in a trailer', [400], chunked(`${chunk(BODY)}0\r\ncontent-length: 5\r\n\r\n`)],
  ['an encoding in a trailer', [400], chunked(`${chunk(BODY)}0\r\ntransfer-encoding: chunked\r\n\r\n${LAST}`)],
  ['a trailer of 100 KiB', [431], chunked(`${chunk(BODY)}0\r\nx: ${'x'.repeat(102_400)}\r\n\r\n`)],
];

const LINES: Row[] = [
  ['line feeds alone', [400], post([`content-length: ${BODY.length}`]).replaceAll('\r\n', '\n')],
  ['one line feed alone', [400], get(['host: x\nx: y'])],
  ['carriage returns alone', [400], get(['host: x']).replaceAll('\r\n', '\r'), true],
  ['a carriage return in a value', [400], get(['host: x', 'x: a\rb: c'])],
  ['a folded header', [400], get(['host: x', 'x: a\r\n b'])],
  ['a folded length', [400], post(['content-length:\r\n 18'])],
  ['a first header that begins with a space', [400], get([' x: y', 'host: x'])],
  ['a space before a colon', [400], get(['host : x'])],
  ['a tab before a colon', [400], get(['host\t: x'])],
  ['a header without a colon', [400], get(['host: x', 'nonsense'])],
  ['a header without a name', [400], get(['host: x', ': y'])],
  ['a space in a name', [400], get(['host: x', 'x y: z'])],
  ['a control character in a name', [400], get(['host: x', 'x\x01: y'])],
  ['NUL in a name', [400], get(['host: x', 'x\0: y'])],
  ['a letter beyond ASCII in a name', [400], get(['host: x', 'x\xe9: y'])],
  ['NUL in a value', [400], get(['host: x', 'x: a\0b'])],
  ['a control character in a value', [400], get(['host: x', 'x: a\x08b'])],
  ['DEL in a value', [400], get(['host: x', 'x: a\x7fb'])],
  ['headers without an end', [400], 'GET / HTTP/1.1\r\nhost: x\r\n', true],
];

const SIZES: Row[] = [
  ['101 headers', [431], get(['host: x', 'connection: close', ...many(101)])],
  ['3,000 headers', [431], get(['host: x', ...many(3_000)])],
  ['100,000 empty headers', [431], get(['host: x', ...Array<string>(100_000).fill('x:')])],
  ['a header of 100 KiB', [431], get(['host: x', `x: ${'x'.repeat(102_400)}`])],
  ['a name of 100 KiB', [431], get(['host: x', `${'x'.repeat(102_400)}: x`])],
  ['a URL of 100 KiB', [431], get(['host: x'], `/${'x'.repeat(102_400)}`)],
  ['a method of 100 KiB', [400], `${'X'.repeat(102_400)} / HTTP/1.1\r\nhost: x\r\n\r\n`],
];

const TARGETS: Row[] = [
  ['a target of another host', [401], get(['host: x', 'connection: close'], `http://169.254.169.254${PLAN}`)],
  ['a target of another scheme', [404], get(['host: x', 'connection: close'], 'file:///etc/passwd')],
  ['a target of a host and port alone', [400], get(['host: x'], 'x:80')],
  ['no target', [400], 'GET HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a target without a slash', [400], get(['host: x'], 'nowhere')],
  ['an asterisk as target', [404], get(['host: x', 'connection: close'], '*')],
  ['two targets', [400], get(['host: x'], '/ /')],
  ['a line break in the target', [400], get(['host: x'], '/\r\nx: y')],
  ['an escaped line break in the target', [404], get(['host: x', 'connection: close'], '/%0d%0aset-cookie:%20a=b')],
  ['NUL in the target', [400], get(['host: x'], '/\0')],
  ['a letter beyond ASCII in the target', [400], get(['host: x'], '/\xe9')],
  ['a lower-case method', [400], 'get / HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['an unknown method', [400], 'FETCH / HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a method of a cache', [404], lines(`PURGE ${PLAN} HTTP/1.1`, 'host: x', 'connection: close', '')],
  [
    'TRACE',
    [404],
    lines(`TRACE ${PLAN} HTTP/1.1`, 'host: x', 'authorization: bearer {token}', 'connection: close', ''),
  ],
  ['CONNECT', [CLOSED], lines('CONNECT 169.254.169.254:80 HTTP/1.1', 'host: x', '')],
  ['no host', [400], get(['connection: close'])],
  ['two hosts', [400], get(['host: x', 'host: y', 'connection: close'])],
  ['HTTP/0.9', [400], 'GET /health/live\r\n\r\n'],
  ['HTTP/2.0', [400], 'GET /health/live HTTP/2.0\r\nhost: x\r\n\r\n'],
  ['HTTP/1.2', [400], 'GET / HTTP/1.2\r\nhost: x\r\n\r\n'],
  ['HTTP/9.9', [400], 'GET / HTTP/9.9\r\nhost: x\r\n\r\n'],
  ['http in lower case', [400], 'GET / http/1.1\r\nhost: x\r\n\r\n'],
  ['the preface of HTTP/2', [400], PREFACE],
  ['another protocol', [400], 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['a TLS handshake', [400], CLIENT_HELLO],
  ['noise', [400], Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * 167 + 13) % 256))],
  ['nonsense', [400], 'nonsense\r\n\r\n'],
];

const BEHIND: Row[] = [
  ['a request behind a refused one', [400], get(['host : x']) + SMUGGLED],
  [
    'a request in the body of a GET',
    [404],
    get(['host: x', 'connection: close', `content-length: ${SMUGGLED.length}`]) + SMUGGLED,
  ],
  ['a request behind the last of a connection', [400], get(['host: x', 'connection: close']) + SMUGGLED],
  [
    'a broken body of what needs none',
    [400],
    lines('OPTIONS /a HTTP/1.1', 'host: x', 'transfer-encoding: chunked', '') + 'zz\r\n',
  ],
  [
    'a target that only begins like that of the whole server',
    [404],
    get(['host: x', 'connection: close'], '*health/ready'),
  ],
  // A server may ignore an upgrade (RFC 9110, section 7.8), but a proxy may assume that the connection has changed its
  // protocol.
  ['frames of HTTP/2 behind an upgrade', [404], get(UPGRADE) + PREFACE],
  ['frames behind an upgrade to a web socket', [404], get(WEB_SOCKET) + '\x81\x05hello'],
  ['a request behind an upgrade', [404], get(UPGRADE) + SMUGGLED],
  // A server may ignore an unknown expectation (RFC 9110, section 10.1.1).
  ['a nonsense expectation', [404], get(['host: x', 'expect: x', 'connection: close'])],
  [
    'an expectation to go on with what is too large',
    [413],
    post(['expect: 100-continue', 'content-length: 9999999'], ''),
  ],
];

const ROWS = [...FRAMING, ...LINES, ...SIZES, ...TARGETS, ...BEHIND];

it('contains at least 30 cases', () => expect(ROWS.length).toBeGreaterThanOrEqual(30));

it.each(ROWS)('%s: %j', async (...[, expected, bytes, endsItself]: Row) => {
  const before = await plans();
  const sent = typeof bytes === 'string' ? bytes.replaceAll('{token}', token) : bytes;
  const answers = await sendRaw(app.url, sent, endsItself);
  const statuses = answers.map(({ status }) => status);
  if (statuses.length > 0 || sent.length < MUCH) expect(statuses).toEqual(expected.filter((one) => one !== CLOSED));
  for (const { status, head, body } of answers) {
    expect(head).toMatch(/content-type: application\/problem\+json/i);
    expect(head).not.toMatch(/set-cookie/i);
    expect(head).toMatch(/x-frame-options: DENY/i);
    expect(head).toMatch(/access-control-allow-origin: /i);
    expect(JSON.parse(body)).toMatchObject({ status });
  }
  expect(await plans()).toBe(before);
  expect((await app.call('GET', '/health/ready')).status).toBe(200);
});

it('creates the plan of these cases if the request is valid', async () => {
  const before = await plans();
  const sent = SMUGGLED.replaceAll('{token}', token);
  expect((await sendRaw(app.url, sent)).map(({ status }) => status)).toEqual([201]);
  expect(await plans()).toBe(before + 1);
});

const plans = () => app.asSuperuser((em) => em.count(DesignPlan, {}));
