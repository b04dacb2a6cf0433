import { request } from 'node:http';
import { TestApp } from '../support/app/test-app.js';

/* Tests how the files of the console are served. */

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

const get = (path: string, init: RequestInit = {}) => fetch(app.url + path, init);
/** Sends a conditional request. `fetch` would add `cache-control: no-cache`, which requests the whole file. */
const revalidate = (path: string, etag: string) =>
  new Promise((resolve, reject) => {
    const headers = { 'if-none-match': etag, 'accept-encoding': 'br' };
    request(app.url + path, { headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
const firstAsset = async () => /\/console\/assets\/[\w.-]+\.js/.exec(await (await get('/')).text())![0];

it('serves the document with a strict policy, and not from a cache without asking', async () => {
  const response = await get('/', { headers: { 'accept-encoding': 'br' } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = response.headers.get('content-security-policy')!;
  for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
    expect(policy.split('; ')).toContain(part);
  expect(policy).not.toMatch(/unsafe|https?:/);
  expect(response.headers.get('x-frame-options')).toBe('DENY');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(await response.text()).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/);
  const etag = response.headers.get('etag')!;
  expect(await revalidate('/', etag)).toBe(304);
  expect([(await get('/', { method: 'HEAD' })).status, (await get('/', { method: 'POST' })).status]).toEqual([
    200, 404,
  ]);
});

it('serves files with a hash in the name compressed, and for ever', async () => {
  const response = await get(await firstAsset(), { headers: { 'accept-encoding': 'br' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('content-encoding')).toBe('br');
  expect(response.headers.get('content-type')).toMatch(/^(text|application)\/javascript/);
  expect(await response.text()).toContain('import');
});

it.each([
  '/console',
  '/console/',
  '/console/none.js',
  '/console/../package.json',
  '/console/%2e%2e/%2e%2e/package.json',
  '/index.html',
  '/gateway/profile/none',
])('answers %s with a problem', async (path) => {
  const response = await get(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    404,
    expect.stringContaining('application/problem+json'),
  ]);
});

it('is not in the OpenAPI document, and can be left out', async () => {
  const { paths } = (await (await get('/openapi.json')).json()) as { paths: object };
  expect(Object.keys(paths).filter((path) => path === '/' || path.startsWith('/console'))).toEqual([]);
  const without = await TestApp.start({ console: false });
  try {
    const statuses = ['/', await firstAsset()].map(async (path) => (await fetch(without.url + path)).status);
    expect(await Promise.all(statuses)).toEqual([404, 404]);
  } finally {
    await without.stop();
  }
});
