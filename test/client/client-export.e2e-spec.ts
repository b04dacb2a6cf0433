import { createClient, ConnectionError, isProblem, type CareSchedulingClient } from '../../src/client/index.js';
import { TestApp } from '../support/app/test-app.js';
import { ExportedClientFixture } from '../support/client-export/exported-client.js';
import { FaultyProxy } from '../support/http/faulty-proxy.js';

/* Tests the export of a Client with the typed client: as a document, value by value, and as a page. */

let app: TestApp;
let proxy: FaultyProxy;
let fixture: ExportedClientFixture;
let api: CareSchedulingClient;
beforeAll(async () => {
  app = await TestApp.start();
  proxy = await FaultyProxy.start(app.url);
  fixture = await ExportedClientFixture.create(app);
  api = createClient({ baseUrl: proxy.url, token: fixture.clinic.clinicToken, retry: { firstDelay: 1, maxDelay: 5 } });
});
afterAll(async () => {
  await proxy.stop();
  await app.stop();
});
beforeEach(() => proxy.reset());

it('is not requested before the result is used', async () => {
  void api.clinic.exportClient({ id: fixture.id });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(proxy.requests).toEqual([]);
});

it('is one document for await', async () => {
  const { sessions, client, isComplete } = await api.clinic.exportClient({ id: fixture.id });
  expect([client.name, sessions.length > 0, isComplete]).toEqual(['Ada', true, true]);
});

it('is typed values for "for await", without the end', async () => {
  const titles: string[] = [];
  const sections = new Set<string>();
  for await (const line of api.clinic.exportClient({ id: fixture.id })) {
    sections.add(line.section);
    if (line.section === 'sessions') titles.push(line.item.title);
  }
  expect(titles).toContain('Talk');
  expect([...sections].at(-1)).toBe('audit');
  expect(proxy.requests).toHaveLength(1);
});

it('ends the request if the caller stops', async () => {
  for await (const { section } of api.clinic.exportClient({ id: fixture.id })) {
    expect(section).toBe('exportedAt');
    break;
  }
  expect(proxy.requests).toHaveLength(1);
});

it('is a page that the caller can store', async () => {
  const own = createClient({ baseUrl: proxy.url, token: fixture.token });
  const page = await own.client.exportClient().open('text/html');
  expect([page.headers.get('content-type'), await page.text()]).toEqual([
    'text/html; charset=utf-8',
    expect.stringContaining('Ihre Daten'),
  ]);
});

it('is requested again after a failure before the first part', async () => {
  proxy.reset({ status: 503 }, 'cut before');
  const sections: string[] = [];
  for await (const { section } of api.clinic.exportClient({ id: fixture.id })) sections.push(section);
  expect([proxy.requests.length, sections[0]]).toEqual([3, 'exportedAt']);
});

it('rejects if the connection is cut within it', async () => {
  proxy.reset('cut within');
  const read = async () => {
    for await (const { section } of api.clinic.exportClient({ id: fixture.id })) expect(section).not.toBe('isComplete');
  };
  await expect(read()).rejects.toThrow(ConnectionError);
});

it('rejects if the response ends before the export', async () => {
  proxy.reset({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
    body: '{"section":"client","item":{}}\n',
  });
  const read = async () => {
    for await (const { section } of api.clinic.exportClient({ id: fixture.id })) expect(section).toBe('client');
  };
  await expect(read()).rejects.toThrow('The export is incomplete.');
});

it('rejects with the problem of the service', async () => {
  const error = await api.clinic
    .exportClient({ id: 4_000_000_000_000 })
    .open('text/html')
    .catch((reason: unknown) => reason);
  expect(isProblem(error, 'not-found')).toBe(true);
});
