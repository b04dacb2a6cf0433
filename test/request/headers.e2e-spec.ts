import { SPECIFIED_RESPONSE_HEADERS } from '../../src/shared/http/index.js';
import { TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests the headers of every response: those of the specification and of Helmet, and none that reveal the software. */

const PLAN = '/gateway/profile/clinic/design-plan';
const CSP = {
  'default-src': "'self'",
  'script-src': "'self'",
  'script-src-attr': "'none'",
  'style-src': "'self' 'unsafe-inline'",
  'object-src': "'none'",
  'base-uri': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
});
afterAll(() => app.stop());

const directivesOf = (answer: TestResponse) =>
  Object.fromEntries(
    answer.headers
      .get('content-security-policy')!
      .split(';')
      .map((directive) => {
        const [name = '', ...values] = directive.trim().split(' ');
        return [name, values.join(' ')];
      }),
  );

const ANSWERS: [what: string, status: number, call: () => Promise<TestResponse>][] = [
  ['a list', 200, () => app.call('GET', PLAN, { token: clinic.clinicToken })],
  ['what was created', 201, () => app.call('POST', PLAN, { token: clinic.clinicToken, body: { planName: 'A' } })],
  ['a preflight', 204, () => app.call('OPTIONS', PLAN, { headers: { 'access-control-request-method': 'POST' } })],
  ['a malformed body', 400, () => app.call('POST', PLAN, { token: clinic.clinicToken, raw: '{' })],
  ['no token', 401, () => app.call('GET', PLAN)],
  ['the wrong role', 403, () => app.call('GET', PLAN, { token: clinic.careProviderToken })],
  ['no such route', 404, () => app.call('GET', '/nowhere')],
  [
    'no such media type',
    415,
    () => app.call('POST', PLAN, { token: clinic.clinicToken, raw: 'a', headers: { 'content-type': 'text/plain' } }),
  ],
  ['the API documentation', 200, () => app.call('GET', '/docs')],
  ['the OpenAPI document', 200, () => app.call('GET', '/openapi.json')],
  ['metrics', 200, () => app.call('GET', '/metrics')],
];

it.each(ANSWERS)('of %s (%i)', async (_what, status, call) => {
  const answer = await call();
  expect(answer.status).toBe(status);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    ...SPECIFIED_RESPONSE_HEADERS,
    'cache-control': expect.stringMatching('^max-age=1, no-cache'),
    'access-control-allow-credentials': 'true',
    'access-control-allow-origin': app.environment.publicUrl,
  });
  for (const banner of ['server', 'x-powered-by', 'via']) expect(answer.headers.get(banner)).toBeNull();
  if (status === 204) return;
  expect(directivesOf(answer)).toMatchObject({ ...CSP, 'upgrade-insecure-requests': '' });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-permitted-cross-domain-policies': 'none',
  });
});

it('sends HSTS only if the public URL has TLS', async () => {
  const plain = await TestApp.start({ publicUrl: 'http://localhost:3000' });
  try {
    const answer = await plain.call('GET', '/docs');
    expect(answer.headers.get('strict-transport-security')).toBeNull();
    expect(directivesOf(answer)).toMatchObject(CSP);
    expect(directivesOf(answer)['upgrade-insecure-requests']).toBeUndefined();
  } finally {
    await plain.stop();
  }
});

it('lets a browser show an answer to pages of the configured origins only', async () => {
  const allowedFor = async (origin: string) => {
    const { headers } = await app.call('GET', PLAN, { token: clinic.clinicToken, headers: { origin } });
    return headers.get('access-control-allow-origin');
  };
  const { publicUrl } = app.environment;
  for (const origin of ['https://attacker.example', `${publicUrl}.attacker.example`, 'null'])
    expect([origin, await allowedFor(origin)]).toEqual([origin, publicUrl]);
  expect(await allowedFor(publicUrl)).toBe(publicUrl);
});

it('lets pages of the configured origins send each header of the OpenAPI document, and those of a trace', async () => {
  const preflight = ANSWERS.find(([what]) => what === 'a preflight')![2];
  const allowed = (await preflight()).headers.get('access-control-allow-headers')!.split(', ');
  const { parameters } = (await app.call('GET', '/openapi.json')).body.components as { parameters: object };
  const headers = (Object.values(parameters) as { name: string; in: string }[]).filter((each) => each.in === 'header');
  const documented = headers.map(({ name }) => name.toLowerCase());
  expect(new Set(documented).size).toBeGreaterThan(5);
  expect(allowed).toEqual(expect.arrayContaining([...new Set(documented), 'authorization', 'traceparent']));
});

it('serves documentation that a browser can show under the content security policy', async () => {
  const { text } = await app.call('GET', '/docs');
  const scripts = [...text.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)];
  expect(scripts.length).toBeGreaterThan(0);
  // Inline scripts would be blocked, so every script must be a file of the service.
  for (const [, , inline] of scripts) expect(inline!.trim()).toBe('');
  expect(text).not.toMatch(/\son[a-z]+\s*=|javascript:/i);
  const files = [...text.matchAll(/<(?:script|link)\b[^>]*(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThanOrEqual(3);
  for (const file of files) {
    const url = new URL(file, new URL('/docs', app.url));
    expect([file, url.origin]).toEqual([file, new URL(app.url).origin]);
    expect([file, (await app.call('GET', url.pathname)).status]).toEqual([file, 200]);
  }
});
