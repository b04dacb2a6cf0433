import { sql, type RawBuilder } from 'kysely';
import { Scheduler } from '../../src/scheduler/index.js';
import { TestApp, waitFor } from '../support/app/test-app.js';

/*
 * A stop ends the run of a clean-up job between two transactions. Otherwise, an instance with many expired rows would
 * not end within 10 s after SIGTERM.
 */

const ROWS = 50_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
  await app.nest.get(Scheduler).stop();
  const { clinicId } = await app.createClinic();
  await app.queryRows(sql`
    insert into idempotency_key (id, caller, fingerprint, answer, expires_at)
    select n, 'c', 'f', '', '2020-01-01' from generate_series(1, ${ROWS}::int) n`);
  await app.queryRows(sql`
    insert into revoked_token_holder (clinic_id, subject, issued_before, revoked_at, expires_at)
    select ${clinicId}, 's' || n, '2020-01-01', '2020-01-01', '2020-01-01' from generate_series(1, ${ROWS}::int) n`);
  await app.queryRows(sql`
    insert into opt_out_link (secret_hash, clinic_id, owner_kind, owner_id, expires_at)
    select n, ${clinicId}, 'CLIENT', n, '2020-01-01' from generate_series(1, ${ROWS}::int) n`);
  await app.queryRows(sql`
    insert into removed_session (clinic_id, session_id, series_id, caregiver_id, client_id, version, series_version, removed_at)
    select ${clinicId}, n, gen_random_uuid(), 1, 1, 1, 1, '2020-01-01' from generate_series(1, ${ROWS}::int) n`);
});
afterAll(() => app.stop());

const count = async (table: RawBuilder<unknown>) =>
  (await app.queryRows(sql<{ count: number }>`select count(*)::int as count from ${table}`))[0]!.count;

it.each([
  ['idempotency-clean-up', 'idempotency_key'],
  ['revoked-token-holders-clean-up', 'revoked_token_holder'],
  ['opt-out-links-upkeep', 'opt_out_link'],
  ['tombstones-clean-up', 'removed_session'],
])('%s', async (job, table) => {
  const rows = () => count(sql.table(table));
  const scheduler = app.nest.get(Scheduler);
  const running = scheduler.run(job);
  await waitFor(async () => (await rows()) < ROWS);
  await scheduler.stop(job);
  await running;
  expect(await rows()).toBeGreaterThan(0);
  await scheduler.run(job);
  expect(await rows()).toBe(0);
});
