import { jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/core';
import { Logger } from '@nestjs/common';
import { sql } from 'kysely';
import pg from 'pg';
import { ReminderDispatcher, ReminderQueue, ReminderSweeper } from '../../src/reminder/index.js';
import { DeadLetterWriter } from '../../src/reminder/outcome/dead-letter-writer.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { forkForActor } from '../../src/shared/persistence/index.js';
import { TestApp, waitFor, type ClinicFixture } from '../support/app/test-app.js';

/*
 * The work of the jobs if the rows of one Clinic cause an error: for the Clinics on the same server that come later, and
 * for those on the server that comes later.
 */

let app: TestApp;
/** The Clinic whose rows cause an error, a later one on the same server, and one on the other server. */
let failing: ClinicFixture;
let others: ClinicFixture[];
const logged = jest.fn<(line: object, message: string) => void>();

beforeAll(async () => {
  app = await TestApp.start();
  await app.nest.get(Scheduler).stop();
  const clinics: (ClinicFixture & { server: string })[] = [];
  const ofServer = (server: string) => clinics.filter((clinic) => clinic.server === server);
  // The jobs take the servers in the order of their addresses.
  for (let first = ''; first === '' || ofServer(first).length < 2 || ofServer(first).length === clinics.length;) {
    const clinic = await app.createClinic();
    const [row] = await app.queryRows(sql<{ server: string }>`
      select server from clinic_servers() where ${clinic.clinicId} = any(clinic_ids)`);
    clinics.push({ ...clinic, ...row! });
    first = clinics.map(({ server }) => server).toSorted()[0]!;
  }
  const servers = clinics.map(({ server }) => server).toSorted();
  const [before, later] = ofServer(servers[0]!);
  failing = before!;
  others = [later!, ofServer(servers.at(-1)!)[0]!];
  jest.spyOn(Logger.prototype, 'error').mockImplementation(logged);
});
afterEach(async () => {
  await executeOnShard('drop trigger if exists fail on %s');
  logged.mockReset();
});
afterAll(() => app.stop());

/**
 * Executes statements on the server of the failing Clinic. `%s` stands for the part of the table with its reminders.
 *
 * @param during done before the connection is closed
 */
async function executeOnShard(statement: string, during?: () => Promise<void>): Promise<void> {
  const [place] = await app.queryRows(sql<{ shard: string; host: string }>`
    select shardid as shard, nodename || ':' || nodeport as host
    from pg_dist_placement join pg_dist_node using (groupid)
    where shardid = get_shard_id_for_distribution_column('reminder', ${failing.clinicId}::bigint) and noderole = 'primary'`);
  if (app.environment.database.kind !== 'postgresql') throw new Error('npm run test:citus has a cluster');
  const url = Object.assign(new URL(app.environment.database.migrationUrl), { host: place!.host });
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query('set citus.enable_ddl_propagation = off; set citus.enable_unsafe_triggers = on');
    await client.query(statement.replaceAll('%s', `reminder_${place!.shard}`));
    await during?.();
  } finally {
    await client.end();
  }
}

const failFor = ({ clinicId }: ClinicFixture) =>
  executeOnShard(`
    create or replace function fail() returns trigger language plpgsql as $$ begin
      raise exception 'a value of the row' using errcode = '22003';
    end $$;
    create trigger fail before update on %s for each row when (old.clinic_id = ${clinicId}) execute function fail()`);

async function createDueReminders(): Promise<void> {
  for (const { clientIds, careProviderToken: token } of [failing, ...others]) {
    const body = { clientId: clientIds[0], title: 'Talk', date: '2030/01/01', time: '09:00', remindDays: 0 };
    const { status } = await app.call('POST', '/gateway/profile/caregiver/session', { token, body });
    expect(status).toBe(201);
  }
}

/** The statuses of the reminders of each Clinic: first of the failing one, then of the others. */
async function findStatuses(): Promise<string[]> {
  const rows = await app.queryRows(sql<{ id: string; statuses: string }>`
    select clinic_id as id, string_agg(distinct status, ' ' order by status) as statuses from reminder group by 1`);
  return [failing, ...others].map(({ clinicId }) => rows.find(({ id }) => Number(id) === clinicId)!.statuses);
}

const expectLog = (part: string) =>
  expect(logged.mock.calls).toEqual([
    [expect.objectContaining({ part: `${part} of Clinic ${failing.clinicId}`, code: '22003' }), expect.anything()],
  ]);

it('dispatches the due reminders of the others, and reports the failure', async () => {
  await createDueReminders();
  await failFor(failing);
  await expect(app.nest.get(ReminderDispatcher).dispatchDue()).rejects.toMatchObject({ code: '22003' });
  await waitFor(async () => (await findStatuses()).slice(1).every((statuses) => statuses === 'SENT'));
  expect(await findStatuses()).toEqual(['PENDING', 'SENT', 'SENT']);
  expectLog('reminder dispatch');
  await executeOnShard('drop trigger fail on %s');
  await app.deliverDueReminders();
  expect(await findStatuses()).toEqual(['SENT', 'SENT', 'SENT']);
  const messageIds = app.deliveredMessages.map(({ messageId }) => messageId);
  expect(new Set(messageIds).size).toBe(messageIds.length);
});

/** Lets the reminders of all Clinics look as if jobs were to send them. Returns these jobs, which do not exist. */
async function markAsQueued(round: string): Promise<{ messageId: string; clinicId: number }[]> {
  const jobs: { messageId: string; clinicId: number }[] = [];
  for (const { clinicId } of [failing, ...others]) {
    const rows = await app.queryRows(sql<{ id: string }>`
      update reminder set status = 'QUEUED', message_id = md5(${round} || id)::uuid, queued_at = '2020-01-01Z'
      where clinic_id = ${clinicId} returning message_id as id`);
    jobs.push(...rows.map(({ id }) => ({ messageId: id, clinicId })));
  }
  return jobs;
}

it('queues the reminders of the others again whose jobs are lost', async () => {
  await markAsQueued('lost');
  await failFor(failing);
  await expect(app.nest.get(ReminderSweeper).sweep()).rejects.toMatchObject({ code: '22003' });
  await waitFor(async () => (await findStatuses()).slice(1).every((statuses) => statuses === 'SENT'));
  expect(await findStatuses()).toEqual(['QUEUED', 'SENT', 'SENT']);
  expectLog('reminder sweep');
});

it('gives up the reminders of the others whose jobs have failed too often', async () => {
  const jobs = await markAsQueued('failed');
  await failFor(failing);
  await expect(app.nest.get(DeadLetterWriter).write(jobs)).rejects.toMatchObject({ code: '22003' });
  expect(await findStatuses()).toEqual(['QUEUED', 'DEAD', 'DEAD']);
});

it('delivers the messages of the others while each worker of the queue has one whose reminders cannot be read in time', async () => {
  const [, elsewhere] = others as [ClinicFixture, ClinicFixture];
  const { clinicId, clientIds, careProviderToken: token } = elsewhere;
  const queue = app.nest.get(ReminderQueue);
  const delivered = () => app.deliveredMessages.filter((message) => message.clinicId === clinicId).length;
  const before = delivered();
  await executeOnShard('begin; lock table %s in access exclusive mode', async () => {
    const asClinic = forkForActor(app.nest.get(MikroORM).em, { role: 'REMINDERS', clinicId: failing.clinicId });
    for (let active = 1; active <= 4; active += 1) {
      await asClinic.fork().transactional((em) => queue.insert(em, [{ messageId: randomUUID(), channel: 'LOG' }]));
      queue.fetchNow();
      await waitFor(async () => {
        const [row] = await app.queryRows(sql<{ count: string }>`
          select count(*) from pgboss.job where name = 'reminder-log' and state = 'active'`);
        return Number(row!.count) === active;
      });
    }
    const body = { clientId: clientIds[0], title: 'Talk', date: '2030/01/02', time: '09:00', remindDays: 0 };
    const { status } = await app.call('POST', '/gateway/profile/caregiver/session', { token, body });
    expect(status).toBe(201);
    const dispatched = app.nest.get(ReminderDispatcher).dispatchDue();
    await waitFor(() => delivered() === before + 2);
    await dispatched.catch(() => undefined);
  });
});
