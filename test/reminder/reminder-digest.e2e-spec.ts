import { sql } from 'kysely';
import { LogChannel } from '../../src/reminder/channel/log/log.channel.js';
import { DeliveryPacer } from '../../src/reminder/delivery/delivery-pacer.js';
import { Reminder, ReminderDispatcher } from '../../src/reminder/index.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests that all reminders of a recipient that are due together are sent as one message. */

const PATH = '/gateway/profile/caregiver/session';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
});

const create = async (change: object): Promise<void> => {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  expect((await app.call('POST', PATH, { token: clinic.careProviderToken, body })).status).toBe(201);
};
/** Returns the recipient and the number of reminders of each delivered message, sorted. */
const messages = () =>
  app.deliveredMessages
    .filter(({ clinicId }) => clinicId === clinic.clinicId)
    .map(({ recipient, items }) => `${recipient.kind} ${recipient.id}: ${items.length}`)
    .sort();
const setQuietNights = async (role: 'CLIENT' | 'CARE_PROVIDER', id: number) => {
  const path = `/gateway/profile/${role === 'CLIENT' ? 'client' : 'caregiver'}/reminder-preference`;
  const body = { quietHours: { from: '21:00', to: '08:00' } };
  expect((await app.call('PUT', path, { token: await app.createToken(role, id), body })).status).toBe(200);
};

it('sends one message to each recipient for eight Sessions with remindDays', async () => {
  await create({ remindDays: 1, sessionCount: 8 });
  app.clock.advance({ hours: 24 });
  await app.deliverDueReminders();
  expect(messages()).toEqual([`CARE_PROVIDER ${clinic.careProviderIds[0]}: 8`, `CLIENT ${clinic.clientIds[0]}: 8`]);
  const [message] = app.deliveredMessages.filter(({ clinicId }) => clinicId === clinic.clinicId);
  // The message lists all eight Sessions, one week apart.
  for (const day of [1, 8, 15, 22, 29]) expect(message!.text.plain).toContain(`${day} March 2027, 09:30`);
  expect(message!.text.plain.match(/You have an appointment/g)).toHaveLength(8);
  const ids = await app.asSuperuser((em) => em.find(Reminder, { clinicId: clinic.clinicId }));
  expect(new Set(ids.map(({ messageId }) => messageId)).size).toBe(2);
});

it.each(['waits for another attempt', 'is being sent'])(
  'sends one message to each recipient if the series moves while the former one %s',
  async (moment) => {
    await create({ remindDays: 1, sessionCount: 8 });
    app.clock.advance({ hours: 24 });
    const [series] = await app.queryRows(
      sql<{ id: string }>`select distinct series_id as id from session where clinic_id = ${clinic.clinicId}`,
    );
    const shift = async () => {
      const options = { token: clinic.careProviderToken, body: { days: 1 } };
      const shifted = await app.call('POST', `/gateway/profile/caregiver/series/${series!.id}/shift`, options);
      expect(shifted.status).toBe(200);
    };
    const channel = app.nest.get(LogChannel);
    const deliver = channel.deliver.bind(channel);
    let shifting: Promise<void> | undefined;
    channel.deliver = async () => {
      if (moment === 'is being sent') await (shifting ??= shift());
      throw new Error('down');
    };
    await app.deliverDueReminders().finally(() => Object.assign(channel, { deliver }));
    await (shifting ??= shift());
    app.clock.advance({ minutes: 1 });
    await app.deliverDueReminders();
    expect(messages()).toEqual([`CARE_PROVIDER ${clinic.careProviderIds[0]}: 8`, `CLIENT ${clinic.clientIds[0]}: 8`]);
  },
);

it('lists Sessions in the order of their starts, not of their reminders', async () => {
  await create({ remindDays: 0, date: '2027/03/08' });
  await create({ remindDays: 0, date: '2027/03/01' });
  await create({ remindDays: 0, date: '2027/03/15', clientId: clinic.clientIds[1] });
  // The reminders of the next Session are due later than the others, but this Session starts before the others.
  app.clock.advance({ minutes: 1 });
  await create({ remindDays: 0, date: '2027/02/22' });
  await app.deliverDueReminders();
  const message = app.deliveredMessages.find(({ recipient: { kind, id } }) => {
    return kind === 'CARE_PROVIDER' && id === clinic.careProviderIds[0];
  })!;
  const days = ['2027-02-22', '2027-03-01', '2027-03-08', '2027-03-15'];
  expect(message.items.map(({ startsAt }) => startsAt.toString().slice(0, 10))).toEqual(days);
  expect(message.text.plain.match(/\d+ (February|March)/g)).toEqual(['22 February', '1 March', '8 March', '15 March']);
});

it('sends different recipients different messages for the same reminders', async () => {
  await create({ remindDays: 0, sessionCount: 2 });
  await create({ remindDays: 0, sessionCount: 3, clientId: clinic.clientIds[1] });
  await app.deliverDueReminders();
  expect(messages()).toEqual([
    `CARE_PROVIDER ${clinic.careProviderIds[0]}: 5`,
    `CLIENT ${clinic.clientIds[0]}: 2`,
    `CLIENT ${clinic.clientIds[1]}: 3`,
  ]);
});

it('sends another message for a reminder that is due an hour later', async () => {
  const [careProvider, client] = [`CARE_PROVIDER ${clinic.careProviderIds[0]}`, `CLIENT ${clinic.clientIds[0]}`];
  await create({ reminders: ['-PT3H', '-PT2H'], sessionCount: 2, intervalDays: 1 });
  app.clock.set('2027-03-01T06:30:00Z');
  await app.deliverDueReminders();
  expect(messages()).toEqual([`${careProvider}: 1`, `${client}: 1`]);
  app.clock.set('2027-03-01T07:30:00Z');
  await app.deliverDueReminders();
  expect(messages()).toEqual([`${careProvider}: 1`, `${careProvider}: 1`, `${client}: 1`, `${client}: 1`]);
  // Nothing was dispatched until the next day, so both reminders are due together.
  app.deliveredMessages.length = 0;
  app.clock.set('2027-03-02T07:30:00Z');
  await app.deliverDueReminders();
  expect(messages()).toEqual([`${careProvider}: 2`, `${client}: 2`]);
});

it('sends deferred reminders in one message with those that are due at the end of the quiet hours', async () => {
  await setQuietNights('CLIENT', clinic.clientIds[0]);
  // These reminders are due in London at 23:00, 02:00, 07:00 and 08:00.
  await create({ reminders: ['-PT11H', '-PT8H', '-PT3H', '-PT2H'], date: '2027/03/02', time: '10:00' });
  for (const instant of ['2027-03-01T23:00:00Z', '2027-03-02T02:00:00Z', '2027-03-02T07:00:00Z']) {
    app.clock.set(instant);
    await app.deliverDueReminders();
  }
  const careProvider = `CARE_PROVIDER ${clinic.careProviderIds[0]}: 1`;
  expect(messages()).toEqual([careProvider, careProvider, careProvider]);
  const deferred = { clinicId: clinic.clinicId, recipientKind: 'CLIENT', status: 'PENDING' } as const;
  const waiting = await app.asSuperuser((em) => em.find(Reminder, deferred));
  expect(new Set(waiting.map(({ sendAt }) => sendAt.toString()))).toEqual(new Set(['2027-03-02T08:00:00Z']));
  app.clock.set('2027-03-02T08:00:02Z');
  await app.deliverDueReminders();
  expect(messages()).toEqual([
    careProvider,
    careProvider,
    careProvider,
    careProvider,
    `CLIENT ${clinic.clientIds[0]}: 4`,
  ]);
});

it('sends each reminder once when the clock jumps back', async () => {
  await create({ reminders: ['-PT3H', '-PT2H'] });
  app.clock.set('2027-03-01T06:30:00Z');
  await app.deliverDueReminders();
  app.clock.set('2027-03-01T04:00:00Z');
  expect(await app.deliverDueReminders()).toBe(0);
  app.clock.set('2027-03-01T06:30:00Z');
  expect(await app.deliverDueReminders()).toBe(0);
  expect(messages()).toHaveLength(2);
  app.clock.set('2027-03-01T07:30:00Z');
  expect(await app.deliverDueReminders()).toBe(2);
  expect(messages()).toHaveLength(4);
});

it('sends due reminders once and marked late after an outage, and skips those that are too late', async () => {
  await create({ reminders: ['-P2D', '-PT20H', '-PT2H'] });
  app.clock.set('2027-03-01T09:00:00Z');
  await app.deliverDueReminders();
  expect(messages()).toEqual([`CARE_PROVIDER ${clinic.careProviderIds[0]}: 2`, `CLIENT ${clinic.clientIds[0]}: 2`]);
  const own = app.deliveredMessages.filter(({ clinicId }) => clinicId === clinic.clinicId);
  expect(own.map(({ late }) => late)).toEqual([true, true]);
  const rows = await app.asSuperuser((em) =>
    em.find(Reminder, { clinicId: clinic.clinicId }, { orderBy: { dueAt: 'asc' } }),
  );
  expect(rows.map(({ status, reason }) => [status, reason])).toEqual([
    ['SKIPPED', 'TOO_LATE'],
    ['SKIPPED', 'TOO_LATE'],
    ['SENT', null],
    ['SENT', null],
    ['SENT', null],
    ['SENT', null],
  ]);
  expect(rows[2]!.history.at(-1)).toMatchObject({ what: 'SENT', late: true });
});

describe('with many due reminders and several concurrent dispatchers', () => {
  const [RECIPIENTS, EACH] = [150, 8];
  // Otherwise, the requests of these tests would let the dispatchers run one at a time, in claims that are never full.
  beforeAll(() => app.nest.get(DeliveryPacer).release());

  /** Inserts eight reminders for each of many Clients. The reminders of one Client are far apart in ID order. */
  async function insertReminders(each = EACH, recipients = RECIPIENTS): Promise<void> {
    await create({});
    await app.queryRows(sql`
      with person as (
        insert into client (clinic_id, name, active, created_at)
        select ${clinic.clinicId}, 'K', true, now() from generate_series(1, ${recipients}::int) returning id
      )
      insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at,
        status, story, created_at)
      select ${clinic.clinicId}, session.id, session.caregiver_id, 'CLIENT', person.id, '{"kind":"REMIND_DAYS","days":0}',
        ${'2026-11-21T09:00:00Z'}::timestamptz + n * interval '1 second',
        ${'2026-11-21T09:00:00Z'}::timestamptz + n * interval '1 second', 'PENDING', '[]', now()
      from person, generate_series(1, ${each}::int) as n, session
      where session.clinic_id = ${clinic.clinicId}`);
  }

  /** Returns how many recipients got each number of messages. */
  async function recipientsByMessages(): Promise<Record<string, number>> {
    const rows = await app.queryRows(sql<{ messages: number; recipients: number }>`
      select messages, count(*)::int as recipients from (
        select count(distinct message_id)::int as messages from reminder
        where clinic_id = ${clinic.clinicId} group by recipient_id
      ) as recipient group by messages`);
    return Object.fromEntries(rows.map(({ messages, recipients }) => [messages, recipients]));
  }

  const unhandled = () => app.asSuperuser((em) => em.count(Reminder, { clinicId: clinic.clinicId, status: 'PENDING' }));

  it.each([1, 2, 4])('makes one message for each recipient with %i concurrent dispatchers', async (instances) => {
    await insertReminders();
    const dispatcher = app.nest.get(ReminderDispatcher);
    // A dispatcher skips recipients that another one has claimed, and finds them in its next run.
    await waitFor(async () => {
      await Promise.all(Array.from({ length: instances }, () => dispatcher.dispatchDue()));
      return (await unhandled()) === 0;
    });
    expect(await recipientsByMessages()).toEqual({ 1: RECIPIENTS });
  });

  it('makes one message for each recipient when one transaction cannot claim all reminders', async () => {
    // A transaction claims 2,000 reminders at most, which ends between two reminders of one recipient.
    await insertReminders(7, 300);
    await app.nest.get(ReminderDispatcher).dispatchDue();
    expect(await recipientsByMessages()).toEqual({ 1: 300 });
  });
});
