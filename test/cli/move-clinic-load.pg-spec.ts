import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signToken } from '../../src/auth/index.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { TEST_JWT_SECRET, testEnvironment, waitFor } from '../support/app/test-app.js';
import { ReminderFleet } from '../support/reminder/reminder-fleet.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { nodeVariables } from '../support/process/node-variables.js';

/*
 * A Clinic moves between two installations, each with two processes, while requests write and its reminders go out. The
 * export and the import are killed once, and run again. SESSIONS=5000 REMINDERS=5000 runs the full size.
 */

const SESSIONS = repetitionCount('SESSIONS', 150, 5_000);
const REMINDERS = repetitionCount('REMINDERS', 400, 5_000);
const CLIENTS = 100;
const WRITERS = 4;
const DAY_SECONDS = 86_400;
const PATH = '/gateway/profile/caregiver/session';
const CODE = /--(?:confirm|open) ([0-9a-f]{32})/;

let old: ReminderFleet;
let target: ReminderFleet;
let headers: Record<string, string>;
const directory = mkdtempSync(join(tmpdir(), 'move-load-'));
const keysOf = (name: string) => ({
  ENCRYPTION_KEYS: `${name}:${Buffer.alloc(32, name.length).toString('base64')}`,
  ENCRYPTION_KEY_DIRECTORY: join(directory, name),
});
const [OLD_KEYS, TARGET_KEYS] = [keysOf('old'), keysOf('target')];

beforeAll(async () => {
  old = await ReminderFleet.start(2, OLD_KEYS);
  await old.insertClients(CLIENTS);
  // Each Session has a reminder for the Care Provider as well, who would not be reached without an address.
  await old.client.query(`update care_provider set email = 'p@example.org'`);
  target = await ReminderFleet.start(0);
  await run(target, 'id-range', '--number', '5');
  await Promise.all([target.add(TARGET_KEYS), target.add(TARGET_KEYS)]);
  const token = await signToken(testEnvironment.token, { role: 'CARE_PROVIDER', id: 1 });
  headers = { authorization: `bearer ${token}`, 'content-type': 'application/json' };
});
afterAll(async () => {
  await old.stop();
  await target.stop();
  rmSync(directory, { recursive: true });
});

function variablesOf(fleet: ReminderFleet): Record<string, string> {
  const { environment } = fleet.database;
  if (environment.kind !== 'postgresql') throw new Error('This test needs a server');
  return {
    DATABASE_URL: environment.url,
    MIGRATION_DATABASE_URL: environment.migrationUrl,
    JWT_SECRET: TEST_JWT_SECRET,
    ...(fleet === old ? OLD_KEYS : TARGET_KEYS),
  };
}

/** Starts a command as a process, which can be killed. */
function start(fleet: ReminderFleet, command: string, ...words: string[]): ChildProcess {
  const env = { ...nodeVariables(), ...variablesOf(fleet) };
  return spawn(process.execPath, [`dist/src/cli/${command}.js`, ...words], { env });
}

/** @throws Error if the command fails. @returns the output */
async function run(fleet: ReminderFleet, command: string, ...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCommandInProcess(command, words, variablesOf(fleet));
  if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
  return stdout + stderr;
}

/** Kills a command as soon as it has changed something in the database. */
async function runAndKill(child: ChildProcess, hasBegun: () => Promise<boolean>): Promise<void> {
  const ended = new Promise((resolve) => child.on('close', resolve));
  await waitFor(hasBegun);
  child.kill('SIGKILL');
  await ended;
}

type Written = { acknowledged: number[]; refused: number; unexpected: string[] };

/** Creates Sessions until the old installation refuses, and goes on for some requests, which must be refused as well. */
async function write(lane: number, written: Written): Promise<void> {
  for (let turn = 0, refusals = 0; refusals < 20; turn += 1) {
    const { url } = old.instances[turn % 2]!;
    const date = Temporal.PlainDate.from('2030-01-01').add({ days: turn }).toString().replaceAll('-', '/');
    const body = JSON.stringify({ clientId: lane + 1, title: 'T', date, time: `0${lane}:00`, remindDays: 0 });
    const answer = await fetch(`${url}${PATH}`, { method: 'POST', headers, body });
    const text = await answer.text();
    if (answer.status === 201 && refusals === 0) written.acknowledged.push(Number(/created: (\d+)\./.exec(text)![1]));
    else if (answer.status === 409 && text.includes('urn:problem:clinic-moved')) refusals += 1;
    else written.unexpected.push(`${answer.status} ${text}`);
    if (refusals > 0) written.refused += 1;
    // Without a pause, the writers would take the processor from the commands that they must overlap.
    await delay(20);
  }
}

async function readIds(fleet: ReminderFleet, statement: string): Promise<number[]> {
  const { rows } = await fleet.client.query<{ id: string }>(statement);
  return rows.map(({ id }) => Number(id));
}

it('loses no acknowledged Session, sends each reminder once, and assigns no id twice', async () => {
  const written: Written = { acknowledged: [], refused: 0, unexpected: [] };
  const writers = Array.from({ length: WRITERS }, (_, lane) => write(lane, written));
  await old.insertReminders(REMINDERS, CLIENTS, 20);
  await waitFor(() => written.acknowledged.length >= SESSIONS && old.smtp.mails.length > 50, 300_000);

  // Some reminders fall due during the move, and others only after it.
  await old.insertReminders(REMINDERS, CLIENTS, 45);
  await old.insertReminders(CLIENTS, CLIENTS, 0, DAY_SECONDS);
  const recipient = (await run(target, 'import-clinic', '--new-identity', join(directory, 'key'))).trim();
  const toFile = (name: string) => ['--clinic', '1', '--recipient', recipient, '--output', join(directory, name)];
  await runAndKill(
    start(old, 'export-clinic', ...toFile('first')),
    async () => (await readIds(old, 'select clinic_id as id from clinic_move')).length > 0,
  );
  await run(old, 'export-clinic', ...toFile('moved'));
  await Promise.all(writers);
  const mailsAtCut = old.smtp.mails.length;
  expect(written.unexpected).toEqual([]);
  expect(written.refused).toBe(WRITERS * 20);

  const fromFile = ['--identity', join(directory, 'key'), '--input', join(directory, 'moved')];
  await runAndKill(start(target, 'import-clinic', ...fromFile), async () => {
    const { rows } = await target.client.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'backup'
        and backend_xid is not null`,
    );
    return rows.length > 0;
  });
  expect(await readIds(target, 'select id from clinic')).toEqual([]);
  const receipt = CODE.exec(await run(target, 'import-clinic', ...fromFile))![1]!;
  const code = CODE.exec(await run(old, 'export-clinic', '--clinic', '1', '--confirm', receipt))![1]!;
  expect(target.smtp.mails).toEqual([]);
  await run(target, 'import-clinic', '--clinic', '1', '--open', code);
  await target.client.query(`update reminder set due_at = now(), send_at = now() where status = 'PENDING'`);
  await waitFor(async () => Object.keys(await target.countByStatus()).join() === 'SENT');

  const sessions = new Set(await readIds(target, 'select id from session'));
  expect(written.acknowledged.filter((id) => !sessions.has(id))).toEqual([]);
  expect(await readIds(target, 'select id from session order by id')).toEqual(
    await readIds(old, 'select id from session order by id'),
  );
  expect(old.smtp.mails.length).toBe(mailsAtCut);
  await expectEachMailOnce();
  const created = await fetch(`${target.instances[0]!.url}${PATH}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ clientId: 1, title: 'New', date: '2029/01/01', time: '09:00', sessionCount: 3 }),
  });
  expect(created.status).toBe(201);
  expect(Math.max(...(await readIds(target, `select id from session`)))).toBeGreaterThanOrEqual(5 * 2 ** 40);
  for (const fleet of [old, target]) expect(await run(fleet, 'audit-verify')).toMatch(/^OK: /m);
  process.stdout.write(
    `${written.acknowledged.length} acknowledged Sessions, ${written.refused} refused, ` +
      `${mailsAtCut} mails before the cut, ${target.smtp.mails.length} after it\n`,
  );
}, 900_000);

/** Each message came once, and each reminder is in one of them. */
async function expectEachMailOnce(): Promise<void> {
  const ids = [...old.smtp.mails, ...target.smtp.mails].map(({ messageId }) => messageId);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const { rows } = await target.client.query<{ id: string }>('select distinct message_id as id from reminder');
  expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  expect(target.smtp.mails.length).toBeGreaterThan(0);
}
