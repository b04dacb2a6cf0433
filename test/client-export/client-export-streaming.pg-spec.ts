import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { interceptStatements, createConnectionLostError } from '../support/database/statement-interceptor.js';
import { measureLiveMemory } from '../support/process/live-memory.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests that the export of a Client is streamed with backpressure, and that an interrupted export can be recognised. */

const SESSIONS = Number(process.env['SESSIONS'] ?? 4_000);
const MEDIA_TYPES = ['application/json', 'application/x-ndjson', 'text/html'];

let app: TestApp;
let clinic: ClinicFixture;
let path: string;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  const [clientId] = clinic.clientIds;
  path = `/gateway/profile/clinic/client/${clientId}/export`;
  // Each Session has about 4 KB. The texts are random, so that compressed parts also fill the buffers of a connection.
  await app.queryRows(sql`
    with series as (insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
      select gen_random_uuid(), ${clinic.clinicId}::bigint, ${clinic.careProviderIds[0]}::bigint, 7, '[]', now()
      from generate_series(1, ${SESSIONS}::int) returning id)
    insert into session (clinic_id, series_id, caregiver_id, client_id, title, description, planned_date, planned_time, time_zone,
      starts_at, ends_at, status, position, duration_minutes, version, created_at, updated_at)
    select ${clinic.clinicId}::bigint, series.id, ${clinic.careProviderIds[0]}::bigint, ${clientId}::bigint, 'T',
      (select string_agg(md5(random()::text), '') from generate_series(1, 120) n where series.id is not null),
      '2026-01-01', '09:00', 'Europe/London', now(), now(), 'SCHEDULED', 1, 50, 1, now(), now() from series`);
});
const readers: ReadableStreamDefaultReader[] = [];
afterEach(() => Promise.allSettled(readers.splice(0).map((reader) => reader.cancel())));
afterAll(() => app.stop());

/** Requests an export. Repeats the request if a busy machine makes the service refuse it. */
async function open(accept: string): Promise<Response> {
  const headers = { authorization: `bearer ${clinic.clinicToken}`, accept, 'accept-encoding': 'identity' };
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(new URL(path, app.url), { headers });
    if (response.status !== 503 || attempt === 40) return response;
    await response.text();
    await delay(500);
  }
}

it('has every Session once, in the order of their ids, over many pages', async () => {
  const { sessions, isComplete } = (await (await open('application/json')).json()) as {
    sessions: { id: number }[];
    isComplete: boolean;
  };
  const ids = sessions.map(({ id }) => id);
  expect([ids.length, isComplete]).toEqual([SESSIONS, true]);
  expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
});

/** Inserts entries: most name other Clients, a few the exported one, and some a thousand of the 4,000 Sessions. */
async function insertAudit(entries: number): Promise<void> {
  const [clientId] = clinic.clientIds;
  await app.queryRows(sql`
    insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome)
    select ${clinic.clinicId}::bigint, now() + n * interval '1 ms', 'CLINIC', 'READ', 'o',
      case when n % 1000 = 0 then array['client/' || ${clientId}::bigint]
        else array['client/' || (1000000 + n), 'session/' || (1000000 + n)] end, 1, gen_random_uuid(), 'a', 'OK'
    from generate_series(1, ${entries}::int) n`);
  await app.queryRows(sql`
    insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome)
    select ${clinic.clinicId}::bigint, now(), 'CLINIC', 'READ', 'page', array(
        select 'session/' || id from (select id from session where client_id = ${clientId}::bigint order by id limit 1000) s
        where n > 0), 1, gen_random_uuid(), 'a', 'OK'
    from generate_series(1, 300) n`);
  await app.queryRows(sql`analyze audit_entry`);
}

// Comes before the tests that abort requests. Afterwards, fetch opens connections in advance, which close while this one inserts.
it('finds the audit entries of a Client by an index, also among many', async () => {
  await insertAudit(200_000);
  /** Rows that were read without an index. */
  const countScanned = async () => {
    const [row] = await app.queryRows(sql<{ rows: number }>`
      select sum(seq_tup_read)::int as rows from pg_stat_user_tables where relname like 'audit_entry%'`);
    return row!.rows;
  };
  const before = await countScanned();
  const began = performance.now();
  const lines = (await (await open('application/x-ndjson')).text()).trimEnd().split('\n');
  process.stdout.write(`an export with 500 of 200,300 audit entries: ${Math.round(performance.now() - began)} ms\n`);
  const own = lines.map((line) => JSON.parse(line) as { section: string; item: { operation?: string } });
  const countOf = (operation: string) =>
    own.filter(({ section, item }) => section === 'audit' && item.operation === operation).length;
  expect([countOf('o'), countOf('page'), own.at(-1)]).toEqual([200, 300, { section: 'isComplete', item: true }]);
  expect((await countScanned()) - before).toBeLessThan(100_000);
});

it('holds no connection and no more than some pages for callers who do not read on', async () => {
  const before = await measureLiveMemory();
  const slow = await Promise.all(MEDIA_TYPES.map(open));
  readers.push(...slow.map(({ body }) => body!.getReader()));
  expect(slow.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const reader of readers) expect((await reader.read()).done).toBe(false);
  // Waits until the buffers of the connections are full, up to which the service reads ahead.
  await waitFor(async () => {
    const [busy] = await app.queryRows(sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and usename = 'scheduling_app' and state <> 'idle'`);
    return busy!.count === 0;
  });
  const grown = (await measureLiveMemory()) - before;
  // For comparison: the text of three complete exports takes more than 50 MB, and its objects several times as much.
  process.stdout.write(`three exports whose callers stop reading: ${grown.toFixed(1)} MiB\n`);
  expect(grown).toBeLessThan(40);
  expect((await app.call('GET', '/gateway/profile/clinic/client', { token: clinic.clinicToken })).status).toBe(200);
});

it.each(MEDIA_TYPES)(
  '%s: breaks off when the database fails in the middle, and does not look complete',
  async (accept) => {
    let pages = 0;
    const untap = await interceptStatements(app, {
      before: (statement) => {
        if (!statement.includes('from "session"')) return;
        pages += 1;
        if (pages === 6) throw createConnectionLostError();
      },
    });
    const answer = await open(accept);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    untap();
  },
);

it('writes one audit entry, before the first part is sent', async () => {
  const count = async () => {
    const [row] = await app.queryRows(
      sql<{ n: number }>`select count(*)::int as n from audit_entry where operation like '%/client/{id}/export'`,
    );
    return row!.n;
  };
  const before = await count();
  const answer = await open('application/x-ndjson');
  expect(await count()).toBe(before + 1);
  await answer.body!.cancel();
});
