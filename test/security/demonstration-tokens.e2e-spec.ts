import { request } from 'node:http';
import { TestApp, testEnvironment } from '../support/app/test-app.js';

/*
 * Tests that only this machine can get the tokens for the menu in Swagger UI, whatever a page of another origin or a
 * proxy sends.
 */

const PATH = '/docs/demonstration-token';

let app: TestApp;
let port: string;
beforeAll(async () => {
  const key = { kind: 'generated', dataDir: 'memory:' } as const;
  app = await TestApp.start({ token: { ...testEnvironment.token, key }, publicUrl: 'http://localhost:3000' });
  port = new URL(app.url).port;
});
afterAll(() => app.stop());

type Answer = { status: number; text: string; cacheControl: string | undefined };

/** Sends a request with `node:http`, because `fetch` does not allow setting the Host header. */
function call(method: 'GET' | 'POST', headers: Record<string, string>, caller: unknown = 'Client 1'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = method === 'POST' ? { 'content-type': 'application/json' } : {};
    const sent = request(new URL(PATH, app.url), { method, headers: { ...type, ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, text, cacheControl: answer.headers['cache-control'] }),
      );
    });
    sent.on('error', reject).end(method === 'POST' ? JSON.stringify({ caller }) : undefined);
  });
}

it('issues a token for each listed caller, on the embedded database only', async () => {
  const list = await call('GET', { host: `localhost:${port}` });
  const script = (await app.call('GET', '/docs/swagger-ui-init.js')).text;
  if (app.environment.database.kind === 'postgresql') {
    expect([list.status, script.includes('demonstration-token')]).toEqual([404, false]);
    return;
  }
  expect([list.status, script.includes('demonstration-token')]).toEqual([200, true]);
  const { callers } = JSON.parse(list.text) as { callers: string[] };
  expect(callers).toEqual(expect.arrayContaining(['Clinic 1', 'Care Provider 1', 'Client 1', 'Administrator']));
  for (const caller of callers) {
    const answer = await call('POST', { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }, caller);
    expect([caller, answer.status, answer.cacheControl]).toEqual([caller, 200, 'max-age=1, no-cache, no-store']);
    const { token } = JSON.parse(answer.text) as { token: string };
    const segment = { Clinic: 'clinic/client', Care: 'caregiver/session', Client: 'client/session' }[
      caller.split(' ')[0]!
    ];
    const path = segment === undefined ? '/gateway/admin/clinic' : `/gateway/profile/${segment}`;
    expect([caller, (await app.call('GET', path, { token })).status]).toEqual([caller, 200]);
  }
  for (const unknown of ['Clinic 9', '__proto__', 7, null])
    expect((await call('POST', { host: `localhost:${port}` }, unknown)).status).toBe(400);
});

it.each([
  ['a name that resolves to this machine', () => ({ host: `attacker.example:${port}` })],
  ['a name that begins like this machine', () => ({ host: `localhost.attacker.example:${port}` })],
  ['an address of the network', () => ({ host: `192.168.1.7:${port}` })],
  ['a host with a user name', () => ({ host: `localhost@attacker.example:${port}` })],
  ['a page of another origin', () => ({ host: `localhost:${port}`, origin: 'https://attacker.example' })],
  ['a page of another port', () => ({ host: `localhost:${port}`, origin: 'http://localhost:1' })],
  ['a page of another site', () => ({ host: `localhost:${port}`, 'sec-fetch-site': 'cross-site' })],
  ['a sandboxed page', () => ({ host: `localhost:${port}`, origin: 'null' })],
  ['a proxy', () => ({ host: `localhost:${port}`, 'x-forwarded-for': '203.0.113.4' })],
  ['another proxy', () => ({ host: `localhost:${port}`, via: '1.1 proxy' })],
])('gives nothing to %s', async (_what, headers) => {
  for (const method of ['GET', 'POST'] as const) {
    const { status, text } = await call(method, headers());
    expect([404, 400]).toContain(status);
    expect(text).not.toMatch(/token|Client 1|callers/);
  }
});
