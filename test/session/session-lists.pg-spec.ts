import pg from 'pg';
import { z } from 'zod';
import { openSyncPass, toSyncPage } from '../../src/shared/validation/index.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests lists of many Sessions: the cost of a page, and that no Session is missing while others write. */

/** Number of Sessions of the large Clinic. A run by hand can use more, such as SESSIONS=1000000. */
const SESSIONS = repetitionCount('SESSIONS', 100_000, 100_000);
/** Number of Sessions of another Clinic, whose lists are read completely. LISTED=100000 runs the full size. */
const LISTED = repetitionCount('LISTED', 20_000, 100_000);
const LIMIT = 50;
const LAST_PAGE = 1_000;

let app: TestApp;
let clinic: ClinicFixture;
let smaller: ClinicFixture;
let client: pg.Client;
beforeAll(
  async () => {
    app = await TestApp.start();
    clinic = await app.createClinic();
    const { database } = app.environment;
    client = new pg.Client({ connectionString: database.kind === 'postgresql' ? database.migrationUrl : '' });
    await client.connect();
    await insertSessions(clinic, SESSIONS);
    await insertDetails(clinic);
    await insertHidden(clinic);
    smaller = await app.createClinic();
    await insertSessions(smaller, LISTED);
    await insertSeriesOfOthers(await app.createClinic());
    for (const table of ['session', 'homework', 'reminder', 'session_series', 'hidden_session', 'removed_session'])
      await client.query(`vacuum analyze ${table}`);
  },
  Math.max(120_000, SESSIONS),
);
afterAll(async () => {
  await client.end();
  await app.stop();
});

/**
 * Inserts a series per hundred Sessions, and one Session per minute. Nine tenths of them are with the first Care
 * Provider and the first Client. Each thousand Sessions have the same time of their last change.
 */
async function insertSessions({ clinicId, careProviderIds, clientIds }: ClinicFixture, count: number): Promise<void> {
  await client.query(
    `with series as (
       insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
       select gen_random_uuid(), $1, $3::bigint, 7, '[]', now() from generate_series(1, $2::int / 100) returning id
     ), numbered as (select id, row_number() over () - 1 as number from series)
     insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time, time_zone,
       duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
     select $1, numbered.id, n % 100 + 1, case when n / 100 % 10 = 0 then $4 else $3 end::bigint, case when n / 100 % 10 = 0 then $6 else $5 end::bigint,
       'T', '2027-01-01', '10:00', 'UTC', 50, at, at + interval '50 minutes', 'SCHEDULED', 1, now(),
       timestamptz '2026-11-21 12:00Z' + n / 1000 * interval '1 second'
     from generate_series(0, $2::int - 1) n join numbered on numbered.number = n / 100,
       lateral (select timestamptz '2027-01-01' + n * interval '1 minute' as at) as time`,
    [clinicId, count, ...careProviderIds, clientIds[0], clientIds[2]],
  );
}

/** Inserts series of another Clinic, because reading all of a small table can cost less than its index. */
async function insertSeriesOfOthers({ clinicId, careProviderIds }: ClinicFixture): Promise<void> {
  await client.query(
    `insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
     select gen_random_uuid(), $1, $2::bigint, 7, '[]', now() from generate_series(1, 5000)`,
    [clinicId, careProviderIds[0]],
  );
}

/** Inserts one homework row and one reminder for each Session of a Clinic. */
async function insertDetails({ clinicId, ownBookId }: ClinicFixture): Promise<void> {
  await client.query(
    `insert into homework (clinic_id, session_id, book_id) select clinic_id, id, $2::bigint from session where clinic_id = $1`,
    [clinicId, ownBookId],
  );
  await client.query(
    `insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status,
       story, created_at)
     select clinic_id, id, caregiver_id, 'CLIENT', client_id, '{"kind":"AROUND_START","offset":"-P1D"}', starts_at,
       starts_at, 'PENDING', '[]', now()
     from session where clinic_id = $1`,
    [clinicId],
  );
}

/** Hides the Sessions of the second Care Provider from the first one, and as many that retention has removed since. */
async function insertHidden({ clinicId, careProviderIds, clientIds }: ClinicFixture): Promise<void> {
  await client.query(
    `insert into removed_session (clinic_id, session_id, series_id, caregiver_id, client_id, version, series_version, removed_at)
     select $1, 1000000000 + n, gen_random_uuid(), $2::bigint, $3::bigint, 2, 2,
       timestamptz '2026-11-21 12:02Z' + n / 100 * interval '1 second'
     from generate_series(1, $4::int) n`,
    [clinicId, careProviderIds[1], clientIds[2], SESSIONS / 10],
  );
  await client.query(
    `insert into hidden_session (clinic_id, care_provider_id, session_id, hidden_at)
     select $1, $2::bigint, id, timestamptz '2026-11-21 12:02Z' + row_number() over () / 100 * interval '1 second' from (
       select id from session where clinic_id = $1 and caregiver_id = $3
       union all select session_id from removed_session where clinic_id = $1) known`,
    [clinicId, ...careProviderIds],
  );
}

const lists = ({ clinicToken, careProviderToken }: ClinicFixture, count: number) => [
  { whose: 'the Clinic', path: '/gateway/profile/clinic/session', token: clinicToken, visible: count },
  {
    whose: 'a Care Provider',
    path: '/gateway/profile/caregiver/session',
    token: careProviderToken,
    visible: (count * 9) / 10,
  },
];

type Page = { items: { id: number; startsAt: string }[]; nextCursor: string | null };

async function page(path: string, token: string, cursor: string | null, limit = LIMIT): Promise<Page> {
  const answer = await app.call('GET', `${path}?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`, {
    token,
  });
  expect(answer.status).toBe(200);
  return answer.body as Page;
}

type Statement = { text: string; values: unknown[] };

/** Returns the statement that the service sends to its driver for a read. */
async function statementOf(read: () => Promise<unknown>, which = /from "session"/): Promise<Statement> {
  return (await statementsOf(read)).find(({ text }) => which.test(text))!;
}

async function statementsOf(read: () => Promise<unknown>): Promise<Statement[]> {
  const prototype = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  const statements: Statement[] = [];
  prototype.query = function (...given) {
    if (given[0] instanceof Object && 'values' in given[0]) statements.push(given[0] as Statement);
    return query.apply(this, given);
  };
  await read().finally(() => (prototype.query = query));
  return statements;
}

type PlanNode = {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Actual Total Time': number;
  Plans?: PlanNode[];
};

function nameOf({ 'Index Name': index, 'Relation Name': table }: PlanNode): string {
  return index ? ` using ${index}` : table ? ` on ${table}` : '';
}

async function explain({
  text,
  values,
}: Statement): Promise<{ nodes: string[]; blocks: number; milliseconds: number }> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, buffers, format json) ${text}`,
    values,
  );
  const root = rows[0]!['QUERY PLAN'][0].Plan;
  const nodesOf = (node: PlanNode): string[] => [
    `${node['Node Type']}${nameOf(node)}`,
    ...(node.Plans ?? []).flatMap(nodesOf),
  ];
  return {
    nodes: nodesOf(root),
    blocks: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    milliseconds: root['Actual Total Time'],
  };
}

it(`page ${LAST_PAGE} costs the database what page 1 does, within a factor of 2`, async () => {
  for (const { whose, path, token } of lists(clinic, SESSIONS)) {
    // Skips to the tested pages in large steps: 249 pages of 200, and one of 150.
    let cursor: string | null = null;
    for (let left = (LAST_PAGE - 1) * LIMIT; left > 0; left -= 200) {
      cursor = (await page(path, token, cursor, Math.min(left, 200))).nextCursor;
    }
    const plans = [];
    for (const at of [null, cursor]) {
      const plan = await explain(await statementOf(() => page(path, token, at)));
      plans.push(plan);
      process.stdout.write(
        `${whose}, page ${at === null ? 1 : LAST_PAGE}: ${plan.nodes.join(' <- ')}; ${plan.blocks} blocks, ${plan.milliseconds} ms\n`,
      );
    }
    const [first, last] = plans as [(typeof plans)[0], (typeof plans)[0]];
    for (const { nodes } of plans) {
      expect(nodes.join()).not.toMatch(/Seq Scan|Sort/);
      expect(nodes.join()).toMatch(/Index Scan using session_start/);
    }
    expect(last.blocks).toBeLessThanOrEqual(first.blocks * 2);
    expect(first.blocks).toBeLessThanOrEqual(last.blocks * 2);
  }
});

it('reads short ranges of indexes for each filter, order and synchronisation', async () => {
  const { clinicToken, careProviderToken, clinicId, careProviderIds, clientIds } = clinic;
  const { rows } = await client.query<{ id: string }>('select id from session_series where clinic_id = $1 limit 2', [
    clinicId,
  ]);
  const sync = await app.call('GET', `/gateway/profile/clinic/session?sync=true&from=9999-01-01T00:00:00Z`, {
    token: clinicToken,
  });
  const queries = [
    'status=SCHEDULED,PAUSED',
    'sort=-startsAt',
    'sort=-updatedAt',
    `caregiverId=${careProviderIds.join()}`,
    `caregiverId=${careProviderIds[1]}&sort=-startsAt`,
    `clientId=${clientIds[2]}&status=SCHEDULED,COMPLETED`,
    `seriesId=${rows.map(({ id }) => id).join()}`,
    'from=2027-01-05T00:00:00Z&to=2027-01-12T00:00:00Z&status=SCHEDULED,CANCELLED',
    'sync=true',
    `syncToken=${sync.body.syncToken as string}&from=9999-01-01T00:00:00Z`,
  ];
  const readSeries = () => app.call('GET', '/gateway/profile/clinic/series?sort=-createdAt', { token: clinicToken });
  const series = await explain(await statementOf(readSeries, /from session_series/));
  expect(series.nodes.join()).toMatch(/session_series_clinic_id_id_key/);
  for (const [path, token] of [
    ['/gateway/profile/clinic/session', clinicToken],
    ['/gateway/profile/caregiver/session', careProviderToken],
  ] as const) {
    for (const query of queries.filter((given) => path.includes('clinic') || !given.startsWith('syncToken'))) {
      const read = () => app.call('GET', `${path}?limit=50&${query}`, { token });
      const { nodes, blocks, milliseconds } = await explain(await statementOf(read, /from "session"|session s/));
      process.stdout.write(`${path}?${query}: ${nodes.join(' <- ')}; ${blocks} blocks, ${milliseconds} ms\n`);
      if (nodes.join().includes('Seq Scan') || blocks >= 3_000)
        violations.push(`${query}: ${nodes.join()}; ${blocks} blocks`);
    }
  }
});

it('finds the reminders and the notices of a Session in short ranges of two indexes, under row-level security', async () => {
  const { clinicId, clinicToken, careProviderIds } = clinic;
  const firstErased = 2_000_000_000;
  await client.query(
    `insert into reminder (clinic_id, erased_session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at,
       status, story, created_at)
     select $1, ${firstErased} + n, $2::bigint, 'CARE_PROVIDER', $2::bigint,
       '{"kind":"SESSION_ERASED","startsAt":"2027-01-04T09:30:00Z"}', at, at, 'SENT', '[]', at
     from generate_series(0, 19999) n, lateral (select timestamptz '2026-11-21' + n * interval '1 minute' as at) as time`,
    [clinicId, careProviderIds[0]],
  );
  await client.query('vacuum analyze reminder');
  const { rows } = await client.query<{ id: string }>('select min(id) as id from session where clinic_id = $1', [
    clinicId,
  ]);
  for (const ids of [[rows[0]!.id], [firstErased], [rows[0]!.id, firstErased + 1, firstErased + 2]]) {
    const read = async () => {
      const path = `/gateway/profile/clinic/reminder?sort=-dueAt&sessionId=${ids.join()}`;
      expect((await app.call('GET', path, { token: clinicToken })).body.items).toHaveLength(ids.length);
    };
    const statement = await statementOf(read, /from "reminder"/);
    await client.query(`begin; select set_config('role', 'scheduling_service', true),
      set_config('app.clinic_id', '${clinicId}', true)`);
    const { nodes, blocks, milliseconds } = await explain(statement);
    await client.query('rollback');
    process.stdout.write(`Reminders of ${ids.join()}: ${nodes.join(' <- ')}; ${blocks} blocks, ${milliseconds} ms\n`);
    expect(nodes.join()).toMatch(/using reminder_session/);
    expect(nodes.join()).toMatch(/using reminder_erased_session/);
    expect(blocks).toBeLessThan(50);
  }
});

it('looks overlaps up in a short range of an index, under row-level security', async () => {
  const { clinicId, clinicToken } = clinic;
  const middle = 'select id from session where clinic_id = $1 order by starts_at offset $2 limit 1';
  const { rows } = await client.query<{ id: string }>(middle, [clinicId, SESSIONS / 2]);
  const path = `/gateway/profile/clinic/session/${rows[0]!.id}`;
  const statement = await statementOf(() => app.call('GET', path, { token: clinicToken }), /overlaps/);
  await client.query(`begin; select set_config('role', 'scheduling_service', true),
    set_config('app.clinic_id', '${clinicId}', true)`);
  const { nodes, blocks } = await explain(statement);
  await client.query('rollback');
  process.stdout.write(`Overlaps: ${nodes.join(' <- ')}; ${blocks} blocks\n`);
  // For comparison: the earlier Sessions of this Care Provider alone fill several thousand blocks.
  expect(blocks).toBeLessThan(400);
});

it('plans the statements for the overlaps and the homework of one Session only a few times', async () => {
  const { clinicId, clinicToken } = clinic;
  const { rows } = await client.query<{ id: string }>('select id from session where clinic_id = $1 limit 1', [
    clinicId,
  ]);
  const path = `/gateway/profile/clinic/session/${rows[0]!.id}`;
  const read = await statementsOf(() => app.call('GET', path, { token: clinicToken }));
  const statements = read.filter(({ text }) => /overlaps|from "homework"/.test(text));
  expect(statements).toHaveLength(2);
  for (const [index, { text, values }] of statements.entries()) {
    // PostgreSQL plans a statement for its parameters five times, and then again whenever it expects a cheaper plan.
    for (let call = 0; call < 12; call++) await client.query({ name: `plans ${index}`, text, values });
  }
  const { rows: plans } = await client.query<{ custom_plans: string }>(
    `select custom_plans from pg_prepared_statements where name like 'plans %'`,
  );
  expect(plans.map(({ custom_plans }) => Number(custom_plans))).toEqual([5, 5]);
});

/** Patterns for the statements of a week: the caller's time zone, the Sessions, their details, and the names. */
const WEEK_STATEMENTS = [/as clinic_time_zone/, /from "session"/, /json_agg/, /^\s*select 'CLIENT' as kind, id, name/];

it('reads a week of at most 1,000 Sessions by index scans, under row-level security', async () => {
  const { clinicId, clinicToken, careProviderToken } = clinic;
  const callers = [
    { kind: 'CLINIC', path: '/gateway/profile/clinic/week', token: clinicToken },
    {
      kind: 'CARE_PROVIDER',
      path: '/gateway/profile/caregiver/week',
      token: careProviderToken,
    },
  ];
  for (const { kind, path, token } of callers) {
    const read = async () => {
      const { body } = await app.call('GET', `${path}?from=2027-02-01`, { token });
      expect(body).toMatchObject({ isTruncated: true, sessions: { length: 1_000 } });
    };
    const found = await statementsOf(read);
    const statements = WEEK_STATEMENTS.map((which) => found.find(({ text }) => which.test(text))!);
    await client.query(`begin; select set_config('role', 'scheduling_service', true),
      set_config('app.clinic_id', '${clinicId}', true)`);
    for (const statement of statements) {
      const { nodes, blocks, milliseconds } = await explain(statement);
      process.stdout.write(`Week of a ${kind}: ${nodes.join(' <- ')}; ${blocks} blocks, ${milliseconds} ms\n`);
      expect(nodes.join()).not.toMatch(/Seq Scan on (session|homework|reminder|session_series)\b/);
    }
    await client.query('rollback');
  }
});

it('reads a week of 25 Clients in a few blocks, under row-level security', async () => {
  const { clinicId, careProviderIds, careProviderToken, clinicToken, ownBookId } = clinic;
  // Every fifth Session overlaps the one before it. Each has a Book and a reminder.
  await client.query(
    `with added as (
       insert into client (clinic_id, name, active, created_at)
       select $1, 'Client ' || n, true, now() from generate_series(1, 25) n returning id
     ), numbered as (select id, row_number() over () - 1 as n from added
     ), series as (
       insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
       select gen_random_uuid(), $1, $2::bigint, 7, '[]', now() from generate_series(1, 1) returning id
     ), sessions as (
       insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time,
         time_zone, duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
       select $1, series.id, n + 1, $2, numbered.id, 'T', '2045-01-02', '10:00', 'UTC', 50, at, at + interval '50 minutes',
         'SCHEDULED', 1, now(), timestamptz '2026-10-01Z'
       from numbered, series, lateral (select timestamptz '2045-01-02 09:00Z' + n % 5 * interval '1 day'
         + n / 5 * case when n % 5 = 0 then interval '40 minutes' else interval '1 hour' end as at) as time
       returning id, caregiver_id, client_id, starts_at
     ), books as (insert into homework (clinic_id, session_id, book_id) select $1, id, $3::bigint from sessions)
     insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status,
       story, created_at)
     select $1, id, caregiver_id, 'CLIENT', client_id, '{"kind":"AROUND_START","offset":"-P1D"}',
       starts_at - interval '1 day', starts_at - interval '1 day', 'PENDING', '[]', now() from sessions`,
    [clinicId, careProviderIds[0], ownBookId],
  );
  for (const [path, token] of [
    ['/gateway/profile/caregiver/week', careProviderToken],
    ['/gateway/profile/clinic/week', clinicToken],
  ] as const) {
    const query = `${path}?from=2045-01-02`;
    const { body } = await app.call('GET', query, { token });
    expect([body.sessions.length, body.sessions[1].client.name]).toEqual([25, expect.stringMatching(/^Client /)]);
    const { statements, blocks } = await explainAll(query, token);
    expect(statements).toBeLessThanOrEqual(4);
    expect(blocks).toBeLessThan(2_500);
  }
});

it('misses no Session and shows none twice while others insert', async () => {
  const { rows } = await client.query<{ last: string }>('select max(id) as last from session');
  const last = Number(rows[0]!.last);
  for (const { path, token, visible } of lists(smaller, LISTED)) {
    const seen = new Set<number>();
    let count = 0;
    let cursor: string | null = null;
    let before = '';
    do {
      const { items, nextCursor }: Page = await page(path, token, cursor, 200);
      for (const { id, startsAt } of items) {
        const key = `${startsAt} ${String(id).padStart(9, '0')}`;
        expect(key > before).toBe(true);
        before = key;
        if (id <= last) {
          seen.add(id);
          count += 1;
        }
      }
      cursor = nextCursor;
      if (count % 400 === 0) {
        const body = {
          clientId: smaller.clientIds[0],
          title: 'New',
          date: '2027/01/10',
          time: '09:30',
          sessionCount: 3,
        };
        await app.call('POST', '/gateway/profile/caregiver/session', { token: smaller.careProviderToken, body });
      }
    } while (cursor !== null);
    expect([seen.size, count]).toEqual([visible, visible]);
  }
});

const EVERYTHING = 'client,careProvider,books,progress,reminders,conflicts';
const SYNCHRONISED = [
  { path: '/gateway/profile/clinic/series', list: 'series', caller: 'clinicToken' },
  { path: '/gateway/profile/caregiver/series', list: 'series', caller: 'careProviderToken' },
  { path: '/gateway/profile/caregiver/session', list: 'session', caller: 'careProviderToken' },
  { path: '/gateway/profile/clinic/homework', list: 'homework', caller: 'clinicToken' },
] as const;

/**
 * Runs EXPLAIN for the statements of a request that read the tables of Sessions. Returns their number and the blocks
 * that they read.
 */
async function explainAll(path: string, token: string): Promise<{ statements: number; blocks: number }> {
  const total = { statements: 0, blocks: 0 };
  const statements = await statementsOf(async () => {
    const { status } = await app.call('GET', path, { token });
    expect([path, status]).toEqual([path, 200]);
  });
  const tables = /\b(session|homework|reminder|session_series|client|care_provider)\b/;
  for (const statement of statements.filter(({ text }) => /^\s*(select|with)/.test(text) && tables.test(text))) {
    await client.query(`begin; select set_config('role', 'scheduling_service', true),
      set_config('app.clinic_id', '${clinic.clinicId}', true)`);
    const { nodes, blocks, milliseconds } = await explain(statement).finally(() => client.query('rollback'));
    process.stdout.write(`${path}: ${nodes.join(' <- ')}; ${blocks} blocks, ${milliseconds} ms\n`);
    const isScan = /Seq Scan on (\w*session|homework|reminder|session_series)\b/.test(nodes.join());
    if (isScan || blocks >= 6_000) violations.push(`${path}: ${nodes.join()}; ${blocks} blocks; ${statement.text}`);
    total.statements += 1;
    total.blocks += blocks;
  }
  return total;
}
/** Statements that read a whole table or too many blocks. */
const violations: string[] = [];
afterEach(() => {
  expect(violations.splice(0)).toEqual([]);
});

it('reads lists with everything included by short ranges of indexes, under row-level security', async () => {
  const { clinicToken, careProviderToken, careProviderIds, clientIds } = clinic;
  const [clinicPath, caregiverPath] = ['/gateway/profile/clinic', '/gateway/profile/caregiver'];
  for (const query of ['', '&sort=-startsAt', '&from=2027-02-01T00:00:00Z']) {
    await explainAll(`${clinicPath}/session?include=${EVERYTHING}${query}`, clinicToken);
    await explainAll(`${caregiverPath}/session?include=${EVERYTHING}${query}`, careProviderToken);
  }
  await explainAll(`${clinicPath}/reminder?include=client,books,conflicts`, clinicToken);
  await explainAll(`${caregiverPath}/reminder?include=client,books,conflicts`, careProviderToken);
  await explainAll(`${clinicPath}/reminder?channel=EMAIL,LOG`, clinicToken);
  await explainAll(`${caregiverPath}/reminder?channel=EMAIL`, careProviderToken);
  await explainAll(`${clinicPath}/homework?include=client,careProvider,books,progress`, clinicToken);
  for (const query of [
    ...['completed=false', 'completed=true', 'sort=-startsAt', `clientId=${clientIds[2]}`],
    ...[`bookId=${clinic.ownBookId}`, `bookId=${clinic.sharedBookId}`],
    ...[`caregiverId=${careProviderIds[1]}&completed=false`, `caregiverId=${careProviderIds.join()}`],
  ])
    await explainAll(`${clinicPath}/homework?${query}`, clinicToken);
});

it('synchronises Sessions, series and homework by short ranges of indexes, if all Sessions have changed', async () => {
  for (const { path, list, caller } of SYNCHRONISED) {
    const token = clinic[caller];
    await explainAll(`${path}?sync=true`, token);
    const record = caller === 'clinicToken' ? clinic.clinicId : clinic.careProviderIds[0];
    const role = caller === 'clinicToken' ? 'CLINIC' : 'CARE_PROVIDER';
    const scope = { list: [list, role, record], filters: {}, defaultSort: '', key: z.int() };
    const pass = openSyncPass({ sync: true }, scope, Temporal.Instant.from('2026-11-21T12:02:00Z'))!;
    const { syncToken } = toSyncPage(pass, { changed: [] }, new Map());
    const first = `${path}?syncToken=${syncToken!}`;
    await explainAll(first, token);
    const { body } = await app.call('GET', first, { token });
    expect([...(body.items as object[]), ...(body.deleted as object[])]).toHaveLength(LIMIT);
    await explainAll(`${first}&cursor=${body.nextCursor as string}`, token);
  }
});
