import { sql } from 'kysely';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ReminderQueue } from '../../src/reminder/index.js';
import { createBook, createPlan, buildEightWeeks } from '../support/app/series-fixtures.js';
import {
  createConnectionLostError,
  interceptStatements,
  type StatementInterceptor,
} from '../support/database/statement-interceptor.js';
import { TestApp, type TestResponse } from '../support/app/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
  // Stops the queue, because its polling statements would be counted.
  await app.nest.get(ReminderQueue).stop();
});
afterAll(() => app.stop());

/** Counts the rows of all tables, including those that must not change. A partitioned table counts as one. */
const rowsOfAllTables = (): Promise<Record<string, number>> =>
  app.asSuperuser(async (em) => {
    const kysely = (em as SqlEntityManager).getKysely();
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'
        and table_name not in (select relname from pg_class where relispartition) order by 1`.execute(kysely);
    const counts: [string, number][] = [];
    for (const { name } of tables) {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(name)}`.execute(
        kysely,
      );
      counts.push([name, rows[0]!.count]);
    }
    return Object.fromEntries(counts);
  });

describe.each(['', '?conflicts=reject'])('an application%s', (query) => {
  let apply: (dryRun?: boolean) => Promise<TestResponse>;
  beforeEach(async () => {
    const clinic = await app.createClinic();
    const books = [clinic.ownBookId, clinic.sharedBookId, await createBook(app, clinic)];
    const plan = await createPlan(app, clinic, { weeks: buildEightWeeks(books) });
    const body = {
      clientId: clinic.clientIds[0],
      date: '2027/05/03',
      time: '09:30',
      remindDays: 7,
      reminders: ['-P1D'],
    };
    const path = `/gateway/profile/caregiver/design-plan/${plan}/apply`;
    apply = (dryRun = false) => {
      const all = `${query}${query === '' ? '?' : '&'}dryRun=${dryRun}`;
      return app.call('POST', `${path}${all}`, { token: clinic.careProviderToken, body });
    };
  });

  it('fails if a deferred statement fails, and so does its dry run', async () => {
    await app.queryRows(sql`alter table reminder add constraint refuses_all check (false) not valid`);
    try {
      const before = await rowsOfAllTables();
      expect([(await apply(true)).status, (await apply()).status]).toEqual([500, 500]);
      expect(await rowsOfAllTables()).toEqual(before);
    } finally {
      await app.queryRows(sql`alter table reminder drop constraint refuses_all`);
    }
    expect([(await apply(true)).status, (await apply()).status]).toEqual([200, 201]);
  });

  async function tapped(tap: StatementInterceptor): Promise<TestResponse> {
    const untap = await interceptStatements(app, tap);
    try {
      return await apply();
    } finally {
      untap();
    }
  }

  it.each(['before', 'after'] as const)(
    'leaves nothing behind when any of its statements fails %s it is carried out',
    async (when) => {
      const before = await rowsOfAllTables();
      // Each application fails at the first statement that has not failed yet. Some applications take IDs from a sequence
      // first, which changes the order of the next statements, so a position would not do.
      const failures: string[] = [];
      for (;;) {
        let failed = '';
        const answer = await tapped({
          [when]: (statement: string) => {
            if (failed !== '' || failures.includes(statement)) return;
            failed = statement;
            throw createConnectionLostError();
          },
        });
        // Every statement has failed before, so everything was written.
        if (failed === '') {
          expect(answer.status).toBe(201);
          break;
        }
        expect([failed, answer.status, answer.body.type]).toEqual([failed, 503, 'urn:problem:service-unavailable']);
        expect([failed, await rowsOfAllTables()]).toEqual([failed, before]);
        failures.push(failed);
      }
      const inserts = failures.flatMap((one) => [...one.matchAll(/insert into "(\w+)"/g)].map(([, table]) => table));
      expect(inserts).toEqual(['session_series', 'session', 'homework', 'reminder']);
      // A commit that was executed cannot be rolled back.
      expect(failures.filter((statement) => statement === 'commit')).toHaveLength(when === 'before' ? 1 : 0);
      expect(failures.length).toBeGreaterThan(when === 'before' ? 10 : 9);
      const after = await rowsOfAllTables();
      const more = Object.entries(after).map(([table, count]) => [table, count - before[table]!]);
      expect(more.filter(([, count]) => count !== 0)).toEqual([
        ['audit_entry', 1],
        ['audit_unsealed', 1],
        ['homework', 24],
        ['reminder', 80],
        ['session', 8],
        ['session_series', 1],
      ]);
    },
  );
});
