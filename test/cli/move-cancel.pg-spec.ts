import { sql } from 'kysely';
import { existsSync } from 'node:fs';
import pg from 'pg';
import { MOVED_TABLES } from '../../src/cli/move/moved-tables.js';
import { waitFor } from '../support/app/test-app.js';
import { commandVariablesOf, MovingClinic, runCommandOf } from '../support/operations/moving-clinic.js';
import type { CommandResult } from '../support/process/cli-command.js';

/*
 * A move that is cancelled: the old installation opens the Clinic again, and the new one deletes what it has imported.
 * Beforehand, the export waits for transactions and messages. The tests continue each other.
 */

let moving: MovingClinic;
/** Connections of the table owner to the old installation. */
let [first, second]: pg.Client[] = [];
beforeAll(async () => {
  moving = await MovingClinic.start();
  const connectionString = commandVariablesOf(moving.old)['MIGRATION_DATABASE_URL'];
  [first, second] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
  await Promise.all([first.connect(), second.connect()]);
});
afterAll(async () => {
  await first!.end();
  await second!.end();
  await moving.stop();
});

const QUEUE = 'reminder-email';
/** An export that waits for more than a few seconds prints for what. */
const ONLY_PROGRESS: unknown = expect.stringMatching(/^(\d+ (transaction|message)\(s\) .*\n)*$/);

/** A running export, whose transactions the tests observe. */
class RunningExport {
  hasEnded = false;
  readonly result: Promise<CommandResult>;

  constructor(file: string) {
    this.result = moving.exportTo(file).finally(() => (this.hasEnded = true));
  }

  /** Waits until the export waits for a row that another transaction has inserted. */
  waitUntilBlocked(): Promise<void> {
    return waitFor(async () => (await this.readActivity(sql`wait_event_type = 'Lock'`)).length > 0);
  }

  /** Waits until the export has asked twice whether transactions have ended, or has ended itself. */
  waitUntilPolling(): Promise<void> {
    const seen = new Set<string>();
    return waitFor(async () => {
      for (const row of await this.readActivity(sql`query like '%pg_snapshot_xip%'`)) seen.add(JSON.stringify(row));
      return this.hasEnded || seen.size > 1;
    });
  }

  /** Waits until the export has asked again whether messages are being sent, or has ended. */
  async waitUntilWaitingForMessages(messageId: string): Promise<void> {
    for (let turn = 0; turn < 2; turn += 1) {
      await insertJob(messageId, 'created');
      const waiting = sql`select from pgboss.job where data->>'messageId' = ${messageId} and state = 'created'`;
      await waitFor(async () => this.hasEnded || (await moving.old.queryRows(waiting)).length === 0);
    }
  }

  private readActivity(condition: ReturnType<typeof sql>): Promise<unknown[]> {
    return moving.old.queryRows(sql`
      select pid, query_start::text from pg_stat_activity
      where datname = current_database() and application_name = 'backup' and ${condition}`);
  }
}

async function insertJob(messageId: string, state: string, heartbeat = 'now'): Promise<void> {
  await moving.old.queryRows(sql`
    insert into pgboss.job (name, data, state, start_after, heartbeat_on, heartbeat_seconds)
    values (${QUEUE}, ${JSON.stringify({ messageId })}::jsonb, ${state}, now() + interval '1 hour', ${heartbeat}::timestamptz, 600)`);
}

/** Counts the rows that the new installation has of the Clinic, apart from entries of the installation itself. */
async function countArrived(): Promise<number> {
  let total = 0;
  for (const [table, rowsOf] of Object.entries(MOVED_TABLES)) {
    const condition = sql.raw(rowsOf(moving.tenant.fixture.clinicId));
    const [row] = await moving.target.queryRows(
      sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)} where ${condition}`,
    );
    total += row!.count;
  }
  return total;
}

let messageId: string;

it('the export waits for a transaction that has changed the Clinic right before the cut', async () => {
  const { clinicId } = moving.tenant.fixture;
  // The export gets its transaction ID, and then waits for this row. So the ID of the next transaction is higher.
  await first!.query(`begin; insert into clinic_move (clinic_id, direction, move_id, secret, started_at)
    values (${clinicId}, 'OUT', gen_random_uuid(), 'x', now())`);
  const running = new RunningExport('queued');
  await running.waitUntilBlocked();
  await second!.query('begin');
  const { rows } = await second!.query<{ message_id: string }>(
    `update reminder set status = 'QUEUED', queued_at = now(), message_id = gen_random_uuid()
      where id = (select id from reminder where clinic_id = $1 and status = 'PENDING' order by send_at desc limit 1)
      returning message_id`,
    [clinicId],
  );
  messageId = rows[0]!.message_id;
  await first!.query('rollback');
  await running.waitUntilPolling();
  expect(running.hasEnded).toBe(false);
  await second!.query('commit');
  expect(await running.result).toMatchObject({ status: 0, stderr: ONLY_PROGRESS });
  expect(await moving.old.queryRows(sql`select status from reminder where message_id = ${messageId}`)).toEqual([
    { status: 'PENDING' },
  ]);
  expect(await moving.export('--cancel')).toMatchObject({ status: 0 });
});

it('an export whose move is cancelled meanwhile leaves no file', async () => {
  await second!.query('begin');
  await second!.query('select pg_current_xact_id()');
  const running = new RunningExport('cancelled');
  await running.waitUntilPolling();
  const { clinicId } = moving.tenant.fixture;
  // As `--cancel` of another process. Two commands in this process would share their output.
  await first!.query('delete from clinic_move where clinic_id = $1', [clinicId]);
  await second!.query('commit');
  const { status, stdout, stderr } = await running.result;
  const message = `The move of Clinic ${clinicId} was cancelled during the export: the Clinic is open, and there is no file.`;
  expect([status, stdout, stderr.split('\n').at(-2)]).toEqual([1, '', message]);
  expect(existsSync(moving.file('cancelled'))).toBe(false);
});

it('the export waits for messages that are being sent, and for their outcome', async () => {
  const { clinicId } = moving.tenant.fixture;
  const another = '00000000-0000-4000-8000-000000000000';
  await insertJob(messageId, 'active');
  await insertJob(messageId, 'active', '2020-01-01');
  await insertJob(messageId, 'retry');
  for (const state of ['active', 'created']) await insertJob(another, state);
  const running = new RunningExport('first');
  await running.waitUntilWaitingForMessages(messageId);
  expect(running.hasEnded).toBe(false);
  await second!.query('begin; set local role scheduling_reminders');
  await second!.query(
    `update reminder set status = 'SENT', settled_at = now() where clinic_id = $1 and message_id = $2`,
    [clinicId, messageId],
  );
  const jobs = sql`from pgboss.job where name = ${QUEUE} and heartbeat_seconds = 600`;
  await moving.old.queryRows(sql`delete ${jobs} and data->>'messageId' = ${messageId} and heartbeat_on > '2021-01-01'`);
  await running.waitUntilPolling();
  expect(running.hasEnded).toBe(false);
  await second!.query('commit');
  expect(await running.result).toMatchObject({ status: 0, stderr: ONLY_PROGRESS });
  expect(await moving.old.queryRows(sql`select data->>'messageId' as id, state ${jobs} order by id, state`)).toEqual([
    { id: another, state: 'created' },
    { id: another, state: 'active' },
    { id: messageId, state: 'active' },
  ]);
  await moving.old.queryRows(sql`delete ${jobs}`);
});

it('each installation refuses the commands of the other one, and those that come too early', async () => {
  const { old, target, tenant } = moving;
  const { clinicId } = tenant.fixture;
  const imported = await moving.importFrom('first');
  expect(imported).toMatchObject({ status: 0, stderr: '' });
  const sent = sql`select status from reminder where message_id = ${messageId}`;
  expect(await target.queryRows(sent)).toEqual([{ status: 'SENT' }]);
  const clinic = ['--clinic', String(clinicId)];
  const onward = ['--recipient', moving.recipient, '--output', moving.file('onward')];
  const receipt = /--confirm ([0-9a-f]+)/.exec(imported.stdout)![1]!;
  const commands = [
    [target, 'export-clinic', onward, `Clinic ${clinicId} was imported and is not open yet.`],
    [target, 'export-clinic', ['--cancel'], `Clinic ${clinicId} is not moving away.`],
    [target, 'export-clinic', ['--confirm', receipt], `Clinic ${clinicId} is not moving away.`],
    [
      target,
      'export-clinic',
      ['--delete', receipt],
      `Clinic ${clinicId} has not moved away, or the move is not confirmed.`,
    ],
    [
      target,
      'import-clinic',
      ['--open', receipt],
      `The code does not open Clinic ${clinicId}: it is printed when the move is confirmed.`,
    ],
    [
      old,
      'export-clinic',
      ['--delete', receipt],
      `Clinic ${clinicId} has not moved away, or the move is not confirmed.`,
    ],
    [old, 'import-clinic', ['--discard'], `Clinic ${clinicId} does not wait to be opened.`],
    [old, 'import-clinic', ['--open', receipt], `Clinic ${clinicId} does not wait to be opened.`],
  ] as const;
  for (const [app, name, words, message] of commands) {
    const result = await runCommandOf(app, name, ...clinic, ...words);
    expect([name, words, result]).toEqual([name, words, { status: 1, stdout: '', stderr: `${message}\n` }]);
  }
  for (const app of [old, target])
    expect((await moving.write(app)).map(([status]) => status)).toEqual([409, 409, 409, 409]);
});

it('a cancelled move opens the Clinic where it was, and leaves no row in the other installation', async () => {
  const arrived = await countArrived();
  expect(arrived).toBeGreaterThan(50);

  expect(await moving.export('--cancel')).toMatchObject({ status: 0, stderr: '' });
  // Only an import can be tried out, so the Clinic must not be deleted.
  const refused = { status: 1, stdout: '', stderr: '--dry-run needs --identity and --input. See --help.\n' };
  expect(await moving.onArrival('--discard', '--dry-run')).toEqual(refused);
  const deleted = `${arrived} row(s) of Clinic ${moving.tenant.fixture.clinicId} were deleted.\n`;
  expect(await moving.onArrival('--discard')).toEqual({ status: 0, stderr: '', stdout: deleted });
  expect(await countArrived()).toBe(0);
  expect((await moving.onArrival('--discard')).stderr).toMatch(/^Clinic \d+ does not wait to be opened\.\n$/);
  expect((await moving.write(moving.old)).map(([status]) => status)).toEqual([201, 201, 200, 200]);
  expect(await moving.old.deliverDueReminders()).toBe(2);
});

it('the receipt of a cancelled move confirms no other one, and the Clinic can move again', async () => {
  const again = await moving.exportTo('second');
  expect([again.status, again.stderr]).toEqual([0, '']);
  const stale = await moving.importFrom('first');
  expect(stale.status).toBe(0);
  const receipt = /--confirm ([0-9a-f]+)/.exec(stale.stdout)![1]!;
  expect((await moving.export('--confirm', receipt)).stderr).toMatch(
    /^The receipt does not belong to the last export /,
  );
  expect((await moving.onArrival('--discard')).status).toBe(0);
  const imported = await moving.importFrom('second');
  expect([imported.status, imported.stderr]).toEqual([0, '']);
  const confirmed = await moving.export('--confirm', /--confirm ([0-9a-f]+)/.exec(imported.stdout)![1]!);
  const opened = await moving.onArrival('--open', /--open ([0-9a-f]+)/.exec(confirmed.stdout)![1]!);
  expect([opened.status, opened.stderr]).toEqual([0, '']);
  expect((await moving.write(moving.target)).map(([status]) => status)).toEqual([201, 201, 200, 200]);
});
