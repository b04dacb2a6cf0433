import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { EncryptionEnvironment } from '../../src/shared/config/env.js';
import { createTestKeys, removeTestKeys, toKeyVariables } from '../support/app/test-keys.js';
import { TEST_JWT_SECRET, waitFor } from '../support/app/test-app.js';
import {
  CanaryClinic,
  CARE_PROVIDER_PATH,
  CLINIC_PATH,
  createCanary,
  findCanaries,
} from '../support/contract/canary-clinic.js';
import { runCommandInProcess } from '../support/process/cli-command.js';

/*
 * The process is killed again and again within an erasure, at points where a lock of the test holds it: within the
 * confirmation, before and while rows are deleted, and after the key was destroyed. Each start goes on. In the end,
 * nothing of the subject can be read, everything of others can, the notice came as one message, and the audit trail
 * verifies.
 */

/** An advisory lock, which a trigger takes when an erasure is about to be recorded as finished. */
const FINISH_LOCK = 4_711;

let keys: EncryptionEnvironment;
let clinic: CanaryClinic;
let blocker: pg.Client;
beforeEach(async () => {
  keys = createTestKeys();
  clinic = await CanaryClinic.start(true, toKeyVariables(keys));
  blocker = new pg.Client({ connectionString: getUrl('owner') });
  await blocker.connect();
  await blocker.query(`
    create function pause_finish() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(${FINISH_LOCK});
      return new;
    end $$;
    create trigger pause_finish before update on erasure for each row
      when (old.erased_at is null and new.erased_at is not null) execute function pause_finish()`);
});
afterEach(async () => {
  await blocker.end();
  await clinic.stop();
  removeTestKeys(keys);
});

function getUrl(login: 'owner' | 'service'): string {
  const { environment } = clinic.database;
  if (environment.kind !== 'postgresql') throw new Error('This test needs a server');
  return login === 'owner' ? environment.migrationUrl : environment.url;
}

const rowsOf = async (text: string, values: unknown[] = []) => (await clinic.sql.query(text, values)).rows as unknown[];
const isBlocked = async () =>
  (
    await rowsOf(`
    select from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`)
  ).length > 0;

/**
 * Takes locks, lets the process work until it waits for one of them, and kills it there. `check` looks at what it has
 * left behind.
 */
async function killAt(lock: string, work: () => Promise<void>, check: () => Promise<void>): Promise<void> {
  await blocker.query('begin');
  await blocker.query(lock);
  await work();
  await waitFor(isBlocked);
  await clinic.kill();
  await check();
  await blocker.query('commit');
  // The connections of the process end once they have the lock.
  await waitFor(async () => !(await isBlocked()));
}

const keyFile = (folder: string, id: number, suffix: string) => {
  if (keys.keys?.kind !== 'configured') throw new Error('This test needs keys');
  return join(keys.keys.directory, folder, (id % 4_096).toString(16).padStart(3, '0'), `${id}.${suffix}`);
};
const isDestroyed = (folder: string, id: number) =>
  existsSync(keyFile(folder, id, 'destroyed')) && !existsSync(keyFile(folder, id, 'key'));

async function createClient(mark: string, dates: readonly string[]): Promise<number> {
  const person = { name: createCanary(`${mark}Name`), email: `${createCanary(`${mark}Email`)}@example.org` };
  const { headers } = await clinic.callOrThrow(clinic.clinic, 'POST', `${CLINIC_PATH}/client`, person);
  const id = Number(new Map(headers).get('location')!.split('/').at(-1));
  await clinic.callOrThrow(clinic.clinic, 'PUT', `${CLINIC_PATH}/client/${id}/care-provider/${clinic.careProvider.id}`);
  for (const date of dates) {
    const texts = { title: createCanary(`${mark}Title`), description: createCanary(`${mark}Description`) };
    const body = { clientId: id, date, time: '09:30', reminders: ['-P1D'], ...texts };
    await clinic.callOrThrow(clinic.careProvider, 'POST', `${CARE_PROVIDER_PATH}/session`, body);
  }
  return id;
}

/** Everything that the Clinic and its Care Provider can read about a Client, as text. */
async function readAbout(id: number): Promise<string> {
  const replies = [
    await clinic.callOrThrow(clinic.clinic, 'GET', `${CLINIC_PATH}/client/${id}`),
    await clinic.callOrThrow(clinic.clinic, 'GET', `${CLINIC_PATH}/client?limit=100`),
    await clinic.callOrThrow(clinic.careProvider, 'GET', `${CARE_PROVIDER_PATH}/session?clientId=${id}`),
  ];
  return replies.map(({ text }) => text).join('\n');
}
const canariesOf = (mark: string, text: string) =>
  findCanaries(text).filter((one) => one.startsWith(createCanary(mark)));
const ALL = ['Description', 'Email', 'Name', 'Title'];

/** Creates another Clinic with a Client, and returns its ID. */
async function createOtherClinic(): Promise<number> {
  const body = { name: 'Other', timeZone: 'Europe/London' };
  const { headers } = await clinic.callOrThrow(clinic.admin, 'POST', '/gateway/admin/clinic', body);
  const id = Number(new Map(headers).get('location')!.split('/').at(-1));
  await clinic.callOrThrow({ role: 'CLINIC', id }, 'POST', `${CLINIC_PATH}/client`, {
    name: createCanary('OtherName'),
  });
  return id;
}

type Subject = { as: CanaryClinic['admin']; path: string };

/** Requests an erasure that can be confirmed at once. Returns the path of the confirmation. */
async function request({ as, path }: Subject): Promise<string> {
  const { body } = await clinic.callOrThrow(as, 'POST', `${path}/erasure`, { reason: 'SUBJECT_REQUEST' });
  // The clock of the service cannot be set.
  await rowsOf(`update erasure set confirmable_at = requested_at where id = $1`, [body.id]);
  return `${path}/erasure/${body.id}/confirmation`;
}
const isErased = async () => (await rowsOf('select from erasure where erased_at is not null')).length === 1;

async function verifyAudit(): Promise<void> {
  await waitFor(async () => (await rowsOf('select from audit_unsealed')).length === 0);
  const variables = { DATABASE_URL: getUrl('service'), JWT_SECRET: TEST_JWT_SECRET };
  const { status, stdout } = await runCommandInProcess('audit-verify', [], variables);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^OK: \d+ entries in \d+ seals, 0 finding\(s\)$/m)]);
}

it('of a Client: it is confirmed and carried out once, and so is the notice', async () => {
  const gone = await createClient('Gone', ['2030/03/01', '2030/03/08', '2030/03/15']);
  const kept = await createClient('Kept', ['2030/04/01']);
  const sessionIds = (await rowsOf('select id::int from session where client_id = $1 order by id', [gone])) as {
    id: number;
  }[];
  const countSessions = async () => (await rowsOf('select from session where client_id = $1', [gone])).length;
  const path = `${CLINIC_PATH}/client/${gone}`;
  const confirmation = await request({ as: clinic.clinic, path });
  const confirm = () => clinic.callOrThrow(clinic.clinic, 'POST', confirmation);
  const notices = () => rowsOf('select from reminder where session_id is null');

  // Within the confirmation: the notices cannot be inserted.
  await killAt(
    'lock table reminder in share mode',
    () => Promise.resolve(void confirm().catch(() => undefined)),
    async () => {
      expect([await countSessions(), (await notices()).length]).toEqual([3, 0]);
    },
  );
  await clinic.startAgain();
  // While rows are deleted: the Sessions are deleted, but not committed, when the assignment cannot be deleted.
  await killAt(
    `select from client_assignment where client_id = ${gone} for update`,
    async () => {
      await confirm();
    },
    async () => {
      expect([await countSessions(), (await notices()).length]).toEqual([3, 3]);
      expect(existsSync(keyFile('client', gone, 'key'))).toBe(true);
    },
  );
  // After the key was destroyed, and before that is recorded. A start goes on with the erasure by itself.
  await killAt(
    `select pg_advisory_xact_lock(${FINISH_LOCK})`,
    () => clinic.startAgain(),
    async () => {
      expect([await countSessions(), (await notices()).length, isDestroyed('client', gone)]).toEqual([0, 3, true]);
      expect(await isErased()).toBe(false);
    },
  );
  await clinic.startAgain();
  await waitFor(isErased);

  const about = await readAbout(gone);
  expect(canariesOf('Gone', about)).toEqual([]);
  expect(canariesOf('Kept', await readAbout(kept))).toEqual(ALL.map((field) => createCanary(`Kept${field}`)));
  expect([await countSessions(), isDestroyed('client', gone)]).toEqual([0, true]);
  expect(canariesOf('Gone', await clinic.instance.readLog())).toEqual([]);
  // The message was sent again after the receiver refused the first attempt, with the same ID.
  await waitFor(
    async () => (await rowsOf(`select from reminder where session_id is null and status = 'SENT'`)).length === 3,
  );
  const messages = clinic.webhook.calls
    .map(({ headers, body }) => ({
      id: headers['webhook-id'],
      items: (JSON.parse(body) as { data: { items: { sessionId: number; cancelled?: boolean }[] } }).data.items,
    }))
    .filter(({ items }) => items.some(({ cancelled }) => cancelled));
  expect(new Set(messages.map(({ id }) => id)).size).toBe(1);
  expect(messages[0]!.items.map(({ sessionId }) => sessionId).toSorted()).toEqual(sessionIds.map(({ id }) => id));
  await verifyAudit();
});

it('of a Clinic: the keys of its people are destroyed before its rows are deleted', async () => {
  const gone = await createClient('Gone', ['2030/03/01', '2030/03/08']);
  const id = await createOtherClinic();
  const clinicId = clinic.clinic.id!;
  await clinic.callOrThrow(clinic.careProvider, 'POST', `${CARE_PROVIDER_PATH}/calendar-link`, {});
  const count = async () => (await rowsOf('select from session where clinic_id = $1', [clinicId])).length;
  const before = await count();
  const confirmation = await request({ as: clinic.admin, path: `/gateway/admin/clinic/${clinicId}` });
  const people = (): boolean[] => [isDestroyed('client', gone), isDestroyed('care-provider', clinic.careProvider.id!)];

  // After the keys of the people were destroyed, before a row is deleted.
  await killAt(
    `select from calendar_link where clinic_id = ${clinicId} for update`,
    async () => {
      await clinic.callOrThrow(clinic.admin, 'POST', confirmation);
    },
    async () => {
      expect([...people(), isDestroyed('clinic', clinicId), await count()]).toEqual([true, true, false, before]);
    },
  );
  // While rows are deleted.
  await killAt(
    `select from client where id = ${gone} for update`,
    () => clinic.startAgain(),
    async () => {
      expect([...people(), await count()]).toEqual([true, true, before]);
    },
  );
  // The erasure of a Clinic ends some minutes after the confirmation, because requests may still create rows.
  await clinic.startAgain();
  await waitFor(async () => (await count()) === 0);
  expect([isDestroyed('clinic', clinicId), await isErased()]).toEqual([false, false]);
  await clinic.kill();
  await rowsOf(`update erasure set confirmed_at = confirmed_at - interval '5 minutes'`);
  // After the last key was destroyed.
  await killAt(
    `select pg_advisory_xact_lock(${FINISH_LOCK})`,
    () => clinic.startAgain(),
    async () => {
      expect([isDestroyed('clinic', clinicId), await count(), await isErased()]).toEqual([true, 0, false]);
    },
  );
  await clinic.startAgain();
  await waitFor(isErased);
  for (const table of ['client', 'care_provider', 'session', 'reminder', 'design_plan', 'calendar_link', 'book'])
    expect([table, await rowsOf(`select from ${table} where clinic_id = $1`, [clinicId])]).toEqual([table, []]);
  const other = await clinic.callOrThrow({ role: 'CLINIC', id }, 'GET', `${CLINIC_PATH}/client`);
  expect(findCanaries(other.text)).toEqual([createCanary('OtherName')]);
  await verifyAudit();
});
