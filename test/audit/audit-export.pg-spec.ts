import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { interceptStatements, createConnectionLostError } from '../support/database/statement-interceptor.js';
import { measureLiveMemory } from '../support/process/live-memory.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests that the export of the audit trail is streamed with backpressure, and that an interrupted export can be
 * recognised.
 */

const EXPORT = '/gateway/profile/clinic/audit/export';
const ENTRIES = Number(process.env['ENTRIES'] ?? 2_500);
/**
 * With this number of records, a line has about 16 KB. The IDs are random, so that compressed lines also fill the
 * buffers of a connection.
 */
const RECORDS = 850;

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  await app.queryRows(sql`
    insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome)
    select ${clinic.clinicId}::bigint, '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 ms', 'CLINIC', 'READ', 'o',
      (select array_agg('session/' || floor(random() * 1e9)::bigint) from generate_series(1, ${RECORDS}::int) where n > 0), ${RECORDS}::int,
      gen_random_uuid(), 'a', 'OK' from generate_series(1, ${ENTRIES}::int) n`);
});
const readers: ReadableStreamDefaultReader[] = [];
// The service may have closed the connections by now, because they were not read for a long time.
afterEach(() => Promise.allSettled(readers.splice(0).map((reader) => reader.cancel())));
afterAll(() => app.stop());

/**
 * Requests an export. Repeats the request if a busy machine makes the service refuse it. `fetch` decodes compressed
 * responses.
 */
async function open(encoding = 'identity'): Promise<Response> {
  const headers = { authorization: `bearer ${clinic.clinicToken}`, 'accept-encoding': encoding };
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(new URL(`${EXPORT}?operation=o`, app.url), { headers });
    if (response.status !== 503 || attempt === 40) return response;
    await response.text();
    await delay(500);
  }
}
const ENCODINGS = ['identity', 'gzip'];

it('contains every entry once, in order', async () => {
  const answer = await open();
  const lines = (await answer.text()).trimEnd().split('\n');
  const times = lines.map((line) => (JSON.parse(line) as { at: string }).at);
  expect([answer.status, lines.length, answer.headers.get('link')]).toEqual([200, ENTRIES, null]);
  expect(times).toEqual([...new Set(times)].toSorted());
});

it.each(ENCODINGS)(
  '%s: holds no connection and no more than a page of it for callers who do not read on',
  async (encoding) => {
    const before = await measureLiveMemory();
    const slow = await Promise.all([1, 2, 3, 4, 5].map(() => open(encoding)));
    readers.push(...slow.map(({ body }) => body!.getReader()));
    expect(slow.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const reader of readers) expect((await reader.read()).done).toBe(false);
    const { clinicToken: token } = clinic;
    expect((await app.call('GET', '/gateway/profile/clinic/client', { token })).status).toBe(200);
    // Waits until the buffers of the connections are full, up to which the service reads ahead.
    await waitFor(async () => {
      const [busy] = await app.queryRows(sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and usename = 'scheduling_app' and state <> 'idle'`);
      return busy!.count === 0;
    });
    const grown = (await measureLiveMemory()) - before;
    // For comparison: the text of five complete exports would take 200 MB.
    process.stdout.write(`five exports whose callers stop reading: ${grown.toFixed(1)} MiB\n`);
    expect(grown).toBeLessThan(120);
  },
);

it.each(ENCODINGS)(
  '%s: breaks off when the database fails in the middle, and does not look complete',
  async (encoding) => {
    let pages = 0;
    const untap = await interceptStatements(app, {
      before: (statement) => {
        if (!statement.includes('"audit_entry"') || !statement.startsWith('select')) return;
        pages += 1;
        if (pages === 6) throw createConnectionLostError();
      },
    });
    const answer = await open(encoding);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    untap();
  },
);

it('writes one audit entry, before the first line is sent', async () => {
  const count = async () =>
    (
      await app.queryRows(
        sql<{ n: number }>`select count(*)::int as n from audit_entry where operation like '%/audit/export'`,
      )
    )[0]!.n;
  const before = await count();
  const answer = await open();
  expect(await count()).toBe(before + 1);
  await answer.body!.cancel();
});
