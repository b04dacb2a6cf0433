import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { Client, Clinic } from '../../src/directory/index.js';
import {
  LogChannel,
  Reminder,
  ReminderDispatcher,
  ReminderPreference,
  UndeliverableError,
} from '../../src/reminder/index.js';
import { DeadLetterWriter } from '../../src/reminder/outcome/dead-letter-writer.js';
import type { ReminderMessage } from '../../src/reminder/index.js';
import { buildAssignment, createPlan } from '../support/app/series-fixtures.js';
import { createConnectionLostError, interceptStatements } from '../support/database/statement-interceptor.js';
import { waitFor, TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests the history of reminders, from the rule to the provider's message ID, and also dead letters, redrives and the
 * list.
 */

const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';

let app: TestApp;
let clinic: ClinicFixture;
/** Defines how the channel delivers a message. */
let deliver: (message: ReminderMessage) => Promise<{ providerId?: string }>;
beforeAll(async () => {
  app = await TestApp.start();
  app.nest.get(LogChannel).deliver = (message) => deliver(message);
});
afterAll(() => app.stop());
beforeEach(async () => {
  deliver = async ({ recipient }) => ({ providerId: `<${recipient.kind}@mail.example.org>` });
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
});

type HistoryEntry = { at: string; what: string; [detail: string]: unknown };
type ReminderResponse = {
  id: number;
  status: string;
  reason: string | null;
  recipientKind: string;
  history: HistoryEntry[];
};

async function create(change: object = {}, token = clinic.careProviderToken): Promise<number[]> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  const answer = await app.call('POST', `${CAREGIVER}/session`, { token, body });
  expect(answer.status).toBe(201);
  const list = await app.call('GET', answer.headers.get('location')!, { token });
  return list.body.items.map(({ id }: { id: number }) => id);
}
const clinicGet = (path: string, of = clinic) =>
  app.call('GET', `${CLINIC}/reminder${path}`, { token: of.clinicToken });
const clinicPost = (path: string, of = clinic) =>
  app.call('POST', `${CLINIC}/reminder${path}`, { token: of.clinicToken });
async function list(query = '', of = clinic): Promise<ReminderResponse[]> {
  const answer = await clinicGet(query, of);
  expect(answer.status).toBe(200);
  return answer.body.items;
}
/** Returns the Client's reminder of a Session, with its history. */
async function getReminder(sessionId: number, recipientKind = 'CLIENT'): Promise<ReminderResponse> {
  const [reminder] = await list(`?sessionId=${sessionId}&recipientKind=${recipientKind}`);
  return (await clinicGet(`/${reminder!.id}`)).body;
}
const getEvents = ({ history }: ReminderResponse) => history.map(({ what }) => what);
const callSession = async (path: string, body?: object, headers: Record<string, string> = {}, method = 'POST') => {
  const answer = await app.call(method, `${CAREGIVER}/${path}`, { token: clinic.careProviderToken, body, headers });
  expect(answer.status).toBe(200);
};

const unfinishedJobs = sql`select from pgboss.job where name like 'reminder%' and state in ('created', 'retry', 'active')`;

describe('the history', () => {
  it('begins with the rule and the anchor', async () => {
    const [session] = await create({ remindDays: 3, reminders: ['-P1D'] });
    const plan = await createPlan(app, clinic, {
      weeks: [{ assignments: [buildAssignment(clinic.ownBookId, [2, '20:00'])] }],
    });
    const body = { clientId: clinic.clientIds[1], date: '2027/04/05', time: '09:30' };
    expect(
      (await app.call('POST', `${CAREGIVER}/design-plan/${plan}/apply`, { token: clinic.careProviderToken, body }))
        .status,
    ).toBe(201);
    const reminders = await list('?recipientKind=CLIENT');
    const histories = await Promise.all(reminders.map(async ({ id }) => (await clinicGet(`/${id}`)).body));
    const planned = { at: '2026-11-21T10:00:00.000Z', what: 'PLANNED' };
    expect(histories.map(({ history }) => history)).toEqual([
      [{ ...planned, rule: 'remindDays 3', anchor: 'the creation of the Session' }],
      [{ ...planned, rule: 'reminders -P1D', anchor: 'the start of the Session' }],
      [
        {
          ...planned,
          rule: 'assignReminds day 2 at 20:00 in Europe/London',
          anchor: 'the day of the Session, which is day 1',
        },
      ],
    ]);
    expect(histories[1]).toMatchObject({
      ...{ sessionId: session, homeworkId: null, kind: 'SESSION', recipientKind: 'CLIENT' },
      ...{ recipientId: clinic.clientIds[0], dueAt: '2027-02-28T09:30:00.000Z', sendAt: '2027-02-28T09:30:00.000Z' },
      ...{ status: 'PENDING', reason: null, messageId: null },
    });
    expect(histories[2]).toMatchObject({ kind: 'HOMEWORK', homeworkId: expect.any(Number) });
  });

  it.each([
    ['fails', new Error('the server is busy')],
    ['is refused for good', new UndeliverableError('no such mailbox')],
  ])('stays withdrawn if its Session is cancelled during an attempt that %s', async (_, error) => {
    const [id] = await create({ reminders: ['-P1D'] });
    app.clock.set('2027-02-28T09:30:00Z');
    let cancelling: Promise<void> | undefined;
    deliver = async () => {
      cancelling ??= callSession(`session/${id}/cancel`, { reason: 'CLIENT_REQUEST' });
      await cancelling;
      throw error;
    };
    await app.deliverDueReminders();
    await waitFor(async () => (await app.queryRows(unfinishedJobs)).length === 0);
    const reminder = await getReminder(id!);
    expect([reminder.status, reminder.reason]).toEqual(['WITHDRAWN', 'SESSION_CANCELLED']);
    expect(getEvents(reminder)).toEqual(['PLANNED', 'QUEUED', 'WITHDRAWN']);
  });

  it('continues with moves, withdrawals and restorations, each with its time', async () => {
    const [id] = await create({ reminders: ['-P1D'] });
    app.clock.set('2026-12-01T10:00:00Z');
    await callSession(`session/${id}`, { date: '2027/03/03' }, { 'if-match': '"1"' }, 'PATCH');
    app.clock.set('2026-12-02T10:00:00Z');
    await callSession(`session/${id}/cancel`, { reason: 'CLIENT_REQUEST' });
    expect(await getReminder(id!)).toMatchObject({ status: 'WITHDRAWN', reason: 'SESSION_CANCELLED' });
    app.clock.set('2026-12-03T10:00:00Z');
    await callSession(`session/${id}/undo`);
    const told = await getReminder(id!);
    expect(told.history.slice(1)).toEqual([
      {
        at: '2026-12-01T10:00:00.000Z',
        what: 'MOVED',
        from: '2027-02-28T09:30:00.000Z',
        to: '2027-03-02T09:30:00.000Z',
      },
      { at: '2026-12-02T10:00:00.000Z', what: 'WITHDRAWN', reason: 'SESSION_CANCELLED' },
      { at: '2026-12-03T10:00:00.000Z', what: 'RESTORED' },
    ]);
    expect([told.status, told.reason]).toEqual(['PENDING', null]);
  });

  it('contains a pause, the end of a Session, and a restoration that was too late', async () => {
    const [paused, over, missed] = [
      ...(await create({ reminders: ['-P1D'] })),
      ...(await create({ reminders: ['-PT5M'], date: '2026/11/21', time: '10:10' })),
      ...(await create({ reminders: ['-P1D'], date: '2026/12/01' })),
    ];
    const { seriesId } = (await app.call('GET', `${CAREGIVER}/session/${paused}`, { token: clinic.careProviderToken }))
      .body;
    await callSession(`series/${seriesId}/pause`);
    app.clock.set('2026-11-21T10:20:00Z');
    await callSession(`session/${over}/complete`);
    await callSession(`session/${missed}/cancel`, { reason: 'CLIENT_REQUEST' });
    app.clock.set('2026-11-30T10:00:00Z');
    await callSession(`session/${missed}/undo`);
    const last = async (id: number) => (await getReminder(id)).history.at(-1);
    expect(await last(paused!)).toMatchObject({ what: 'WITHDRAWN', reason: 'SERIES_PAUSED' });
    expect(await last(over!)).toMatchObject({ what: 'WITHDRAWN', reason: 'SESSION_OVER' });
    expect(await last(missed!)).toMatchObject({ what: 'WITHDRAWN', reason: 'MISSED' });
  });

  it('a cancellation that is undone during quiet hours does not lose the reminder that they defer', async () => {
    const body = { quietHours: { from: '21:00', to: '08:00' } };
    await app.call('PUT', `${CLINIC}/reminder-preference`, { token: clinic.clinicToken, body });
    const [id] = await create({ reminders: ['-PT10H'] });
    app.clock.set('2027-02-28T23:40:00Z');
    await callSession(`session/${id}/cancel`, { reason: 'OTHER' });
    await callSession(`session/${id}/undo`);
    // An edit says nothing about a reminder that only waits.
    const edit = await app.call('PATCH', `${CAREGIVER}/session/${id}`, {
      ...{ token: clinic.careProviderToken, body: { title: 'U' }, headers: { 'if-match': '"3"' } },
    });
    expect([edit.status, edit.body.warnings]).toEqual([200, []]);
    app.clock.set('2027-03-01T08:00:01Z');
    await app.deliverDueReminders();
    const events = ['DEFERRED', 'WITHDRAWN', 'RESTORED', 'DEFERRED', 'QUEUED', 'SENT'];
    expect(getEvents(await getReminder(id!)).slice(1)).toEqual(events);
  });

  it('a cancellation that is undone continues a failed delivery, and brings a dead letter back', async () => {
    let error: Error = new Error('down');
    deliver = async ({ clinicId, recipient: { kind } }) => {
      if (clinicId === clinic.clinicId && kind === 'CLIENT') throw error;
      return {};
    };
    const [id] = await create({ reminders: ['-P1D'] });
    const undoCancellation = async () => {
      await callSession(`session/${id}/cancel`, { reason: 'OTHER' });
      await callSession(`session/${id}/undo`);
    };
    app.clock.set('2027-02-28T09:30:01Z');
    await app.deliverDueReminders();
    await undoCancellation();
    expect(await getReminder(id!)).toMatchObject({ status: 'PENDING', sendAt: '2027-02-28T09:31:01.000Z' });
    error = new UndeliverableError('unknown');
    app.clock.set('2027-02-28T09:31:01Z');
    await app.deliverDueReminders();
    await undoCancellation();
    const dead = await getReminder(id!);
    expect(dead).toMatchObject({ status: 'DEAD', reason: 'UNDELIVERABLE' });
    deliver = async () => ({});
    expect((await clinicPost(`/${dead.id}/redrive`)).status).toBe(200);
    await app.deliverDueReminders();
    expect((await getReminder(id!)).status).toBe('SENT');
  });

  it('a reminder whose message is being sent is not sent again when its Session moves away and back', async () => {
    const { promise: isAccepted, resolve: accept } = Promise.withResolvers<undefined>();
    const sent: string[] = [];
    deliver = async ({ clinicId, recipient: { kind } }) => {
      if (clinicId === clinic.clinicId) sent.push(kind);
      await isAccepted;
      return {};
    };
    const [id] = await create({ reminders: ['-P1D'] });
    app.clock.set('2027-02-28T09:30:01Z');
    const delivery = app.deliverDueReminders();
    await waitFor(() => sent.length === 2);
    for (const time of ['09:50', '09:30']) {
      const read = await app.call('GET', `${CAREGIVER}/session/${id}`, { token: clinic.careProviderToken });
      await callSession(`session/${id}`, { time }, { 'if-match': read.headers.get('etag')! }, 'PATCH');
    }
    const both = () => Promise.all(['CLIENT', 'CARE_PROVIDER'].map((kind) => getReminder(id!, kind)));
    // A dispatch before the result leaves both.
    await app.nest.get(ReminderDispatcher).dispatchDue();
    const waits = { status: 'PENDING', sendAt: '2027-02-28T09:31:01.000Z' };
    expect(await both()).toMatchObject([waits, waits]);
    accept(undefined);
    await delivery;
    await waitFor(async () => (await both()).every((one) => getEvents(one).includes('SENT')));
    app.clock.set('2027-02-28T09:31:02Z');
    await app.deliverDueReminders();
    expect(sent).toHaveLength(2);
    const alreadySent = { status: 'WITHDRAWN', reason: 'ALREADY_SENT' };
    expect(await both()).toMatchObject([alreadySent, alreadySent]);
  });

  it('contains the deferral, the queueing, each failed attempt and the delivery', async () => {
    const preference = `${CLINIC}/reminder-preference`;
    const body = { quietHours: { from: '21:00', to: '08:00' } };
    expect((await app.call('PUT', preference, { token: clinic.clinicToken, body })).status).toBe(200);
    class GreylistedError extends Error {
      override readonly name = 'GreylistedError';
    }
    let failures = 0;
    deliver = async ({ clinicId, recipient: { kind } }) => {
      if (clinicId === clinic.clinicId && kind === 'CLIENT' && failures < 1) {
        failures += 1;
        throw new GreylistedError('secret words of the server');
      }
      return { providerId: `<${kind}@mail.example.org>` };
    };
    const [id] = await create({ reminders: ['-PT10H'] });
    app.clock.set('2027-02-28T23:30:02Z');
    await app.deliverDueReminders();
    app.clock.set('2027-03-01T08:00:01Z');
    await app.deliverDueReminders();
    app.clock.set('2027-03-01T08:00:06Z');
    await app.deliverDueReminders();
    const told = await getReminder(id!);
    const { messageId } = await app.asSuperuser((em) => em.findOneOrFail(Reminder, { id: told.id }));
    expect(told.history.slice(1)).toEqual([
      { at: '2026-11-21T10:00:00.000Z', what: 'DEFERRED', reason: 'QUIET_HOURS', until: '2027-03-01T08:00:00.000Z' },
      { at: '2027-03-01T08:00:01.000Z', what: 'QUEUED', messageId },
      {
        ...{ at: '2027-03-01T08:00:01.000Z', what: 'FAILED', attempt: 1, errorClass: 'GreylistedError' },
        channel: 'LOG',
        until: '2027-03-01T08:00:06.000Z',
      },
      { at: '2027-03-01T08:00:06.000Z', what: 'QUEUED', messageId },
      {
        ...{ at: '2027-03-01T08:00:06.000Z', what: 'SENT', channel: 'LOG' },
        ...{ late: false, startsAt: '2027-03-01T09:30:00.000Z', providerId: '<CLIENT@mail.example.org>' },
      },
    ]);
    expect(told).toMatchObject({ status: 'SENT', reason: null, messageId, sendAt: '2027-03-01T08:00:06.000Z' });
    expect(JSON.stringify(told)).not.toContain('secret words');
  });

  it('contains no failure if the message was sent and the write of the outcome is repeated', async () => {
    const delivered: string[] = [];
    deliver = async ({ messageId, recipient: { kind } }) => {
      if (kind === 'CLIENT') delivered.push(messageId);
      return {};
    };
    const [id] = await create({ reminders: ['-PT10H'] });
    app.clock.set('2027-02-28T23:30:02Z');
    let lost = 0;
    const untap = await interceptStatements(app, {
      before: (statement) => {
        if (!statement.includes(`reminder.status <> 'SENT'`) || lost > 0) return;
        lost += 1;
        throw createConnectionLostError();
      },
    });
    await app.deliverDueReminders().finally(untap);
    const told = await getReminder(id!);
    expect([told.status, getEvents(told)]).toEqual(['SENT', ['PLANNED', 'QUEUED', 'SENT']]);
    expect(lost).toBe(1);
    expect(delivered).toHaveLength(1);
  });

  it('contains the reason of a skip: too late, opted out, inactive recipient', async () => {
    const [late] = await create({ reminders: ['-P7D'] });
    const [optedOut] = await create({ reminders: ['-PT2H'], clientId: clinic.clientIds[1] });
    const [gone] = await create({ reminders: ['-PT1H'] });
    const token = await app.createToken('CLIENT', clinic.clientIds[1]);
    const path = '/gateway/profile/client/reminder-preference';
    await app.call('PUT', path, { token, body: { optedOut: ['SESSION'] } });
    app.clock.set('2027-03-01T08:00:00Z');
    await app.deliverDueReminders();
    // Deactivates the Client directly in the database. If the Clinic did this, the reminders would be withdrawn.
    await app.asSuperuser(async (em) => (await em.findOneOrFail(Client, { id: clinic.clientIds[0] })).deactivate());
    app.clock.set('2027-03-01T08:30:00Z');
    await app.deliverDueReminders();
    for (const [id, reason] of [
      [late, 'TOO_LATE'],
      [optedOut, 'OPTED_OUT'],
      [gone, 'RECIPIENT_GONE'],
    ] as const) {
      const told = await getReminder(id!);
      expect([told.status, told.reason]).toEqual(['SKIPPED', reason]);
      expect(told.history.at(-1)).toMatchObject({ what: 'SKIPPED', reason });
      expect(getEvents(told)).toEqual(['PLANNED', 'SKIPPED']);
    }
  });

  it('contains unknown settings of the recipient, which the Clinic replaces; other recipients are not delayed', async () => {
    const path = `${CLINIC}/reminder-preference`;
    const quiet = { quietHours: { from: '21:00', to: '08:00' } };
    expect((await app.call('PUT', path, { token: clinic.clinicToken, body: quiet })).status).toBe(200);
    // Stores values that only another release of the service knows.
    await app.asSuperuser(async (em) => {
      const client = await em.findOneOrFail(Client, { id: clinic.clientIds[0] });
      em.assign(client, { timeZone: 'Mars/Olympus_Mons', locale: 'no locale' });
      em.assign(await em.findOneOrFail(Clinic, { id: clinic.clinicId }), { locale: 'de' });
    });
    const texts: string[] = [];
    deliver = async ({ text }) => {
      texts.push(text.plain);
      return {};
    };
    const [unknown] = await create({ reminders: ['-PT1H'], time: '10:00' });
    const [other] = await create({ reminders: ['-PT1H'], clientId: clinic.clientIds[1], time: '10:30' });
    app.clock.set('2027-03-01T09:30:00Z');
    await app.deliverDueReminders();
    expect((await getReminder(unknown!)).history.at(-1)).toMatchObject({ what: 'SENT', fallback: 'TIME_ZONE, LOCALE' });
    expect((await getReminder(other!)).history.at(-1)).toEqual({
      ...{ at: '2027-03-01T09:30:00.000Z', what: 'SENT', channel: 'LOG', late: false },
      startsAt: '2027-03-01T10:30:00.000Z',
    });
    expect(texts.filter((text) => text.includes('Die Zeiten gelten in Europe/London.'))).toHaveLength(texts.length);
  });

  it('contains each attempt to prepare a broken message, until it is too late; other recipients are not delayed', async () => {
    const [broken] = await create({ reminders: ['-PT1H'] });
    const [other] = await create({ reminders: ['-PT1H'], clientId: clinic.clientIds[1], time: '10:30' });
    await app.asSuperuser(async (em) => {
      const owner = { kind: 'CLIENT', id: clinic.clientIds[0] } as const;
      const preference = new ReminderPreference(clinic.clinicId, owner, app.clock.now());
      preference.quietHours = { from: 'dusk', to: 'dawn' };
      await em.persist(preference).flush();
    });
    app.clock.set('2027-03-01T09:30:00Z');
    await app.deliverDueReminders();
    expect((await getReminder(other!)).status).toBe('SENT');
    const told = await getReminder(broken!);
    expect(told.status).toBe('PENDING');
    expect(told.history.at(-1)).toMatchObject({ what: 'FAILED', attempt: 1, errorClass: 'RangeError' });
    app.clock.set('2027-03-02T09:30:00Z');
    await app.deliverDueReminders();
    expect(await getReminder(broken!)).toMatchObject({ status: 'DEAD', reason: 'LATENESS_REACHED' });
  });

  it('contains the deactivation of a recipient', async () => {
    const [past] = await create({ reminders: ['P10D'], date: '2026/11/20' });
    const path = `${CLINIC}/client/${clinic.clientIds[0]}`;
    expect((await app.call('DELETE', path, { token: clinic.clinicToken })).status).toBe(204);
    const told = await getReminder(past!);
    expect([told.status, told.reason]).toEqual(['WITHDRAWN', 'RECIPIENT_LEFT']);
    expect(told.history.at(-1)).toEqual({
      ...{ at: '2026-11-21T10:00:00.000Z', what: 'WITHDRAWN', reason: 'RECIPIENT_LEFT' },
    });
  });

  it('contains completed and removed homework', async () => {
    const week = (bookId: number) => ({ weeks: [{ assignments: [buildAssignment(bookId, [2, '20:00'])] }] });
    const plan = await createPlan(app, clinic, week(clinic.ownBookId));
    const applied = async (clientId: number) => {
      const body = { clientId, date: '2027/03/01', time: clientId === clinic.clientIds[0] ? '09:30' : '11:30' };
      const path = `${CAREGIVER}/design-plan/${plan}/apply`;
      const answer = await app.call('POST', path, { token: clinic.careProviderToken, body });
      expect(answer.status).toBe(201);
      return answer.body as { seriesId: string; sessions: { id: number; homework: { id: number }[] }[] };
    };
    const [done, removed] = [await applied(clinic.clientIds[0]), await applied(clinic.clientIds[1])];
    const token = await app.createToken('CLIENT', clinic.clientIds[0]);
    const { homework } = (
      await app.call('GET', `${CAREGIVER}/session/${done.sessions[0]!.id}`, { token: clinic.careProviderToken })
    ).body;
    const path = `/gateway/profile/client/homework/${homework[0].id}/complete`;
    expect((await app.call('POST', path, { token })).status).toBe(200);
    const headers = { 'if-match': '"1"' };
    const body = { planName: 'Sleep', ...week(clinic.sharedBookId) };
    const replaced = await app.call('PUT', `${CLINIC}/design-plan/${plan}`, {
      token: clinic.clinicToken,
      body,
      headers,
    });
    expect(replaced.status).toBeLessThan(300);
    await callSession(`series/${removed.seriesId}/revise`, {});
    expect((await getReminder(done.sessions[0]!.id)).history.at(-1)).toMatchObject({
      what: 'WITHDRAWN',
      reason: 'HOMEWORK_DONE',
    });
    const [old, now] = await list(`?sessionId=${removed.sessions[0]!.id}`);
    const told = (await clinicGet(`/${old!.id}`)).body;
    expect(told).toMatchObject({ status: 'WITHDRAWN', reason: 'HOMEWORK_REMOVED', homeworkId: null });
    expect(told.history.at(-1)).toMatchObject({ what: 'WITHDRAWN', reason: 'HOMEWORK_REMOVED' });
    expect(now).toMatchObject({ status: 'PENDING' });
    // The reminder is still about homework.
    const ids = async (kind: string) => (await list(`?kind=${kind}`)).map(({ id }) => id);
    expect(await ids('HOMEWORK')).toContain(old!.id);
    expect(await ids('SESSION')).not.toContain(old!.id);
  });
});

describe('dead letters', () => {
  const refuse = async (): Promise<never> => {
    throw new UndeliverableError('no such mailbox');
  };
  const accept = async () => ({ providerId: 'again' });
  const dead = async (change: object = {}): Promise<number> => {
    deliver = refuse;
    const [id] = await create({ remindDays: 0, ...change });
    await app.deliverDueReminders();
    deliver = accept;
    return id!;
  };

  it('have a reason and are listed', async () => {
    const id = await dead();
    const told = await getReminder(id);
    expect([told.status, told.reason]).toEqual(['DEAD', 'UNDELIVERABLE']);
    expect(getEvents(told)).toEqual(['PLANNED', 'QUEUED', 'DEAD']);
    expect((await list('?status=DEAD')).map(({ recipientKind }) => recipientKind)).toEqual(['CLIENT', 'CARE_PROVIDER']);
  });

  it('of homework are sent after a redrive, even if the homework has become due', async () => {
    const weeks = [1, 2].map(() => ({ assignments: [buildAssignment(clinic.ownBookId, [2, '20:00'])] }));
    const body = { clientId: clinic.clientIds[0], date: '2026/11/23', time: '09:30' };
    const token = clinic.careProviderToken;
    const plan = await createPlan(app, clinic, { weeks });
    const applied = await app.call('POST', `${CAREGIVER}/design-plan/${plan}/apply`, { token, body });
    const [first, second] = applied.body.sessions;
    deliver = refuse;
    app.clock.set('2026-11-24T20:00:00Z');
    await app.deliverDueReminders();
    deliver = accept;
    const { id, status } = await getReminder(first.id);
    expect(status).toBe('DEAD');
    // The homework is now due before its reminder.
    const moved = { token, body: { date: '2026/11/23', time: '15:00' }, headers: { 'if-match': '"1"' } };
    expect((await app.call('PATCH', `${CAREGIVER}/session/${second.id}`, moved)).status).toBe(200);
    expect((await clinicPost(`/${id}/redrive`)).status).toBe(200);
    await app.deliverDueReminders();
    expect((await getReminder(first.id)).status).toBe('SENT');
  });

  it('include reminders whose job has used up its retries', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    let asked = 0;
    deliver = async () => {
      asked += 1;
      await released;
      return {};
    };
    const [id] = await create({ remindDays: 0 });
    await app.nest.get(ReminderDispatcher).dispatchDue();
    await waitFor(() => asked === 2);
    const rows = await app.asSuperuser((em) => em.find(Reminder, { sessionId: id }));
    // The queue does this after the last retry of a job.
    await app.nest
      .get(DeadLetterWriter)
      .write(rows.map(({ messageId, clinicId }) => ({ messageId: messageId!, clinicId })));
    const told = await getReminder(id!);
    expect([told.status, told.reason]).toEqual(['DEAD', 'ATTEMPTS_EXHAUSTED']);
    expect(told.history.at(-1)).toMatchObject({ what: 'DEAD', reason: 'ATTEMPTS_EXHAUSTED' });
    // If the message is accepted later, the reminder is SENT and cannot be redriven.
    release(undefined);
    await waitFor(async () => (await getReminder(id!)).status === 'SENT');
  });

  it('include reminders that failed with growing delays until it was too late; they can be redriven', async () => {
    deliver = () => Promise.reject(new Error('down'));
    const [id] = await create({ remindDays: 0 });
    const planned = app.clock.now();
    const again = async (): Promise<string> => {
      await app.deliverDueReminders();
      const { sendAt } = await app.asSuperuser((em) => em.findOneOrFail(Reminder, { sessionId: id }));
      app.clock.set(sendAt.toString());
      return sendAt.since(planned).toString();
    };
    const pauses: string[] = [];
    while (pauses.length < 10) pauses.push(await again());
    expect(pauses.slice(0, 5)).toEqual(['PT5S', 'PT15S', 'PT35S', 'PT75S', 'PT155S']);
    expect(pauses.slice(7)).toEqual(['PT1235S', 'PT1835S', 'PT2435S']);
    app.clock.set(planned.add({ hours: 24 }).subtract({ seconds: 1 }).toString());
    // The last attempt is made at the deadline.
    expect(await again()).toBe('PT86401S');
    await app.deliverDueReminders();
    const told = await getReminder(id!);
    expect(told).toMatchObject({ status: 'DEAD', reason: 'LATENESS_REACHED' });
    // The history keeps the first attempts and the last one with its number.
    const failures = told.history.filter(({ what }) => what === 'FAILED');
    expect(failures.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 11]);
    deliver = accept;
    expect((await clinicPost(`/${told.id}/redrive`)).status).toBe(200);
    await app.deliverDueReminders();
    expect((await getReminder(id!)).status).toBe('SENT');
  });

  it('include advanced reminders that failed until the quiet hours began', async () => {
    const token = await app.createToken('CLIENT', clinic.clientIds[0]);
    const body = { quietHours: { from: '21:00', to: '08:00' } };
    const put = await app.call('PUT', '/gateway/profile/client/reminder-preference', { token, body });
    expect(put.status).toBe(200);
    const [id] = await create({ date: '2026/11/23', time: '07:30', reminders: ['-PT2H'] });
    deliver = () => Promise.reject(new Error('down'));
    app.clock.set('2026-11-22T20:59:00Z');
    await app.deliverDueReminders();
    app.clock.set('2026-11-22T21:00:00Z');
    await app.deliverDueReminders();
    const told = await getReminder(id!);
    expect(told).toMatchObject({ status: 'DEAD', reason: 'LATENESS_REACHED' });
    expect(getEvents(told)).toEqual(['PLANNED', 'ADVANCED', 'QUEUED', 'FAILED', 'DEAD']);
    expect((await clinicPost(`/${told.id}/redrive`)).status).toBe(200);
  });

  it('do not include a reminder whose only failure was before its Session moved', async () => {
    deliver = () => Promise.reject(new Error('down'));
    const [id] = await create({ date: '2026/11/23', reminders: ['-PT1H'] });
    app.clock.set('2026-11-23T08:30:00Z');
    await app.deliverDueReminders();
    expect(getEvents(await getReminder(id!))).toEqual(['PLANNED', 'QUEUED', 'FAILED']);
    await callSession(`session/${id}`, { date: '2026/11/24' }, { 'if-match': '"1"' }, 'PATCH');
    // As after quiet hours that the recipient has set while the message was in the queue.
    await app.asSuperuser(async (em) => {
      const reminder = await em.findOneOrFail(Reminder, { sessionId: id, recipientKind: 'CLIENT' });
      reminder.messageId = randomUUID();
      const [at, until] = ['2026-11-24T08:30:00.000Z', '2026-11-24T09:00:00.000Z'];
      const events = [{ at, what: 'QUEUED' } as const, { at, what: 'DEFERRED', reason: 'QUIET_HOURS', until } as const];
      reminder.history = [...reminder.history, ...events];
      await em.flush();
    });
    app.clock.set('2026-11-24T09:30:00Z');
    await app.deliverDueReminders();
    expect(await getReminder(id!)).toMatchObject({ status: 'SKIPPED', reason: 'SESSION_STARTED' });
  });

  it('can be redriven one by one, in a new message and with an entry in the history', async () => {
    const id = await dead();
    const before = await getReminder(id);
    app.clock.advance({ hours: 48 });
    const answer = await clinicPost(`/${before.id}/redrive`);
    expect([answer.status, answer.body.status, answer.body.reason]).toEqual([200, 'PENDING', null]);
    expect(answer.body.history.at(-1)).toEqual({ at: '2026-11-23T10:00:00.000Z', what: 'REDRIVEN' });
    await app.deliverDueReminders();
    const told = await getReminder(id);
    expect(getEvents(told)).toEqual(['PLANNED', 'QUEUED', 'DEAD', 'REDRIVEN', 'QUEUED', 'SENT']);
    // The reminder is redriven two days after its due time. It is not skipped as too late, but the message says that it
    // is late.
    expect(told.history.at(-1)).toMatchObject({ providerId: 'again', late: true });
    expect(told.history[4]!['messageId']).not.toBe(told.history[1]!['messageId']);
    expect((await getReminder(id, 'CARE_PROVIDER')).status).toBe('DEAD');
  });

  it('of one message have different message ids if they are redriven one by one, and the same one if together', async () => {
    // Receivers drop a message with a known id, so reminders that are not sent together must not share one.
    await dead({ sessionCount: 4 });
    const [first, second] = await list('?recipientKind=CLIENT');
    const messages: ReminderMessage[] = [];
    deliver = async (message) => {
      if (message.recipient.kind === 'CLIENT') messages.push(message);
      return {};
    };
    for (const { id } of [first!, second!]) {
      expect((await clinicPost(`/${id}/redrive`)).status).toBe(200);
      await app.deliverDueReminders();
    }
    expect((await clinicPost('/redrive')).body).toEqual({ redriven: 6 });
    await app.deliverDueReminders();
    expect(messages.map(({ items }) => items.length)).toEqual([1, 1, 2]);
    expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(3);
  });

  it('of a message that was later sent without them are redriven in another message', async () => {
    const begins = (instant: string) => ({ date: instant.slice(0, 10).replaceAll('-', '/'), time: instant.slice(11) });
    const [soon] = await create({ ...begins('2026-11-21T10:10'), remindDays: 0 });
    const [later] = await create({ ...begins('2026-12-21T10:10'), remindDays: 0 });
    deliver = () => Promise.reject(new Error('down'));
    await app.deliverDueReminders();
    app.clock.set('2026-11-21T10:11:00Z');
    deliver = accept;
    await app.deliverDueReminders();
    expect(await getReminder(soon!)).toMatchObject({ status: 'DEAD', reason: 'LATENESS_REACHED' });
    const sent = await getReminder(later!);
    expect((await clinicPost('/redrive')).body).toEqual({ redriven: 2 });
    await app.deliverDueReminders();
    const redriven = await getReminder(soon!);
    expect([sent.status, redriven.status]).toEqual(['SENT', 'SENT']);
    expect(redriven.history.at(-2)!['messageId']).not.toBe(sent.history.at(-2)!['messageId']);
  });

  it('can be redriven together, for one Clinic', async () => {
    await dead({ sessionCount: 3 });
    const other = await app.createClinic();
    const own = clinic;
    clinic = other;
    await dead();
    clinic = own;
    const answer = await clinicPost('/redrive');
    expect([answer.status, answer.body]).toEqual([200, { redriven: 6 }]);
    const entries = await app.queryRows(sql<{ records: string[] }>`
      select to_jsonb(records) as records from audit_entry
      where clinic_id = ${own.clinicId} and operation = 'POST /gateway/profile/clinic/reminder/redrive'`);
    const ids = (await list()).map(({ id }) => id).sort((one, two) => one - two);
    expect(entries).toEqual([{ records: ids.map((id) => `reminder/${id}`) }]);
    await app.deliverDueReminders();
    expect((await list()).map(({ status }) => status)).toEqual(Array(6).fill('SENT'));
    expect((await list('', other)).map(({ status }) => status)).toEqual(['DEAD', 'DEAD']);
    expect((await clinicPost('/redrive')).body).toEqual({ redriven: 0 });
  });

  it('are the only reminders that can be redriven: others are 409 and unchanged', async () => {
    const [id] = await create({ reminders: ['-P1D'] });
    const { id: pending } = await getReminder(id!);
    const before = await clinicGet(`/${pending}`);
    const answer = await clinicPost(`/${pending}/redrive`);
    expect([answer.status, answer.body.type]).toEqual([409, 'urn:problem:conflict']);
    expect(answer.body.detail).toContain('PENDING');
    expect((await clinicGet(`/${pending}`)).body).toEqual(before.body);
    const { id: letter } = await getReminder(await dead());
    expect((await clinicPost(`/${letter}/redrive`)).status).toBe(200);
    expect((await clinicPost(`/${letter}/redrive`)).status).toBe(409);
    await app.deliverDueReminders();
    expect((await clinicPost(`/${letter}/redrive`)).status).toBe(409);
  });

  it('can be redriven like reminders that were skipped as too late, one or all, with a late message', async () => {
    const late = async (change: object = {}) => (await create({ reminders: ['-P7D'], ...change }))[0]!;
    const [first, second] = [await late(), await late({ clientId: clinic.clientIds[1], date: '2027/04/01' })];
    const cancelled = await late({ date: '2027/04/08' });
    app.clock.set('2027-04-30T08:00:00Z');
    await app.deliverDueReminders();
    await callSession(`session/${cancelled}/cancel`, { reason: 'CLIENT_REQUEST' });
    expect(await getReminder(cancelled)).toMatchObject({ status: 'WITHDRAWN', reason: 'SESSION_CANCELLED' });
    const told = await getReminder(first);
    const answer = await clinicPost(`/${told.id}/redrive`);
    expect([answer.status, answer.body.status, answer.body.reason]).toEqual([200, 'PENDING', null]);
    // By default, only dead letters are redriven.
    expect((await clinicPost('/redrive')).body).toEqual({ redriven: 0 });
    const skipped = (query: string) => clinicPost(`/redrive?status=SKIPPED${query}`);
    expect((await skipped('&to=2027-02-22T09:30:00Z')).body).toEqual({ redriven: 0 });
    expect((await skipped('&from=2027-03-01T00:00:00Z')).body).toEqual({ redriven: 2 });
    expect((await skipped('')).body).toEqual({ redriven: 1 });
    await app.deliverDueReminders();
    for (const id of [first, second]) {
      expect(getEvents(await getReminder(id))).toEqual(['PLANNED', 'SKIPPED', 'REDRIVEN', 'QUEUED', 'SENT']);
      expect((await getReminder(id)).history.at(-1)).toMatchObject({ late: true });
    }
    expect((await clinicPost('/redrive?status=SENT')).status).toBe(400);
  });

  it('that were redriven in vain are sent at the new time if their Session moves', async () => {
    const id = await dead({ date: '2026/12/05', time: '10:00', remindDays: undefined, reminders: ['-P14D'] });
    deliver = refuse;
    expect((await clinicPost('/redrive')).body).toEqual({ redriven: 2 });
    await app.deliverDueReminders();
    expect((await getReminder(id)).status).toBe('DEAD');
    deliver = accept;
    await callSession(`session/${id}`, { date: '2027/01/15' }, { 'if-match': '"1"' }, 'PATCH');
    app.clock.set('2027-01-01T10:00:00Z');
    await app.deliverDueReminders();
    const told = await getReminder(id);
    expect(told.history.at(-1)).toMatchObject({ what: 'SENT', at: '2027-01-01T10:00:00.000Z', late: false });
  });

  it('that were redriven before their Session moved are not sent once it has begun', async () => {
    const id = await dead({ date: '2026/11/21', time: '10:15', remindDays: undefined, reminders: ['-PT15M'] });
    expect((await clinicPost('/redrive')).body).toEqual({ redriven: 2 });
    await callSession(`session/${id}`, { time: '20:15' }, { 'if-match': '"1"' }, 'PATCH');
    app.clock.set('2026-11-21T20:16:00Z');
    await app.deliverDueReminders();
    expect(await getReminder(id)).toMatchObject({ status: 'SKIPPED', reason: 'SESSION_STARTED' });
  });

  it('that were part of one message go to the current Care Providers of their Sessions', async () => {
    const late = async (clientId: number) => (await create({ reminders: ['-P60D'], date: '2027/05/10', clientId }))[0]!;
    const [moved, kept] = [await late(clinic.clientIds[0]), await late(clinic.clientIds[1])];
    app.clock.set('2027-04-30T08:00:00Z');
    await app.deliverDueReminders();
    // Stores the state after the service has skipped both reminders of a message that was already queued.
    await app.asSuperuser((em) =>
      em.nativeUpdate(
        Reminder,
        { sessionId: { $in: [moved, kept] }, recipientKind: 'CARE_PROVIDER' },
        { messageId: randomUUID() },
      ),
    );
    const [from, toCareProviderId] = clinic.careProviderIds;
    const body = { toCareProviderId, clientIds: [clinic.clientIds[0]] };
    const path = `${CLINIC}/care-provider/${from}/reassign`;
    expect((await app.call('POST', path, { token: clinic.clinicToken, body })).status).toBe(200);
    const messages: [number, number[]][] = [];
    deliver = async ({ recipient, items }) => {
      if (recipient.kind === 'CARE_PROVIDER') messages.push([recipient.id, items.map(({ sessionId }) => sessionId)]);
      return {};
    };
    expect((await clinicPost('/redrive?status=SKIPPED')).body).toEqual({ redriven: 4 });
    await app.deliverDueReminders();
    expect(new Map(messages)).toEqual(
      new Map([
        [from, [kept]],
        [toCareProviderId, [moved]],
      ]),
    );
    expect(messages).toHaveLength(2);
  });

  it('of a cancelled Session are withdrawn and cannot be redriven', async () => {
    const id = await dead();
    await callSession(`session/${id}/cancel`, { reason: 'CLIENT_REQUEST' });
    const told = await getReminder(id);
    expect([told.status, told.reason]).toEqual(['WITHDRAWN', 'SESSION_CANCELLED']);
    expect(getEvents(told)).toEqual(['PLANNED', 'QUEUED', 'DEAD', 'WITHDRAWN']);
    expect((await clinicPost('/redrive')).body).toEqual({ redriven: 0 });
    expect((await clinicPost(`/${told.id}/redrive`)).status).toBe(409);
    await app.deliverDueReminders();
    expect((await getReminder(id)).status).toBe('WITHDRAWN');
  });

  it('of a moved Session are due once at the new time', async () => {
    deliver = refuse;
    const [id] = await create({ reminders: ['-P1D'] });
    app.clock.set('2027-02-28T09:30:00Z');
    await app.deliverDueReminders();
    deliver = accept;
    await callSession(`session/${id}`, { date: '2027/03/08' }, { 'if-match': '"1"' }, 'PATCH');
    expect(await list(`?sessionId=${id}`)).toHaveLength(2);
    const told = await getReminder(id!);
    expect(told).toMatchObject({ status: 'PENDING', dueAt: '2027-03-07T09:30:00.000Z' });
    expect(getEvents(told)).toEqual(['PLANNED', 'QUEUED', 'DEAD', 'MOVED']);
    app.clock.set('2027-03-07T09:30:00Z');
    await app.deliverDueReminders();
    expect((await getReminder(id!)).status).toBe('SENT');
  });

  it('can be redriven by the Clinic, not by a Care Provider', async () => {
    const { id } = await getReminder(await dead());
    for (const path of [`${CLINIC}/reminder/${id}/redrive`, `${CLINIC}/reminder/redrive`]) {
      expect((await app.call('POST', path, { token: clinic.careProviderToken })).status).toBe(403);
      expect((await app.call('POST', path)).status).toBe(401);
    }
    const path = `${CAREGIVER}/reminder/${id}/redrive`;
    expect((await app.call('POST', path, { token: clinic.careProviderToken })).status).toBe(404);
    expect((await clinicGet(`/${id}`)).body.status).toBe('DEAD');
  });
});

describe('the list', () => {
  /**
   * The Sessions of two Clients of one Care Provider and of one Client of the other. The reminders are due on 26 and 27
   * February.
   */
  let sessions: number[];
  let secondToken: string;
  beforeEach(async () => {
    secondToken = await app.createToken('CARE_PROVIDER', clinic.careProviderIds[1]);
    sessions = [
      ...(await create({ reminders: ['-P3D'] })),
      ...(await create({ reminders: ['-P2D'], clientId: clinic.clientIds[1] })),
      ...(await create({ reminders: ['-P2D'], clientId: clinic.clientIds[2] }, secondToken)),
    ];
  });
  const told = (items: ReminderResponse[]) =>
    items.map(
      (item) => `${sessions.indexOf((item as unknown as { sessionId: number }).sessionId)} ${item.recipientKind}`,
    );

  it('is in the order of due times and has no history', async () => {
    const items = await list();
    expect(told(items)).toEqual([
      ...['0 CLIENT', '0 CARE_PROVIDER', '1 CLIENT', '1 CARE_PROVIDER', '2 CLIENT', '2 CARE_PROVIDER'],
    ]);
    for (const item of items) expect(Object.keys(item)).not.toContain('history');
  });

  it.each<[query: () => string, expected: string[]]>([
    [() => 'recipientKind=CLIENT', ['0 CLIENT', '1 CLIENT', '2 CLIENT']],
    [() => `recipientKind=CLIENT&recipientId=${clinic.clientIds[1]}`, ['1 CLIENT']],
    [() => `sessionId=${sessions[2]}`, ['2 CLIENT', '2 CARE_PROVIDER']],
    [() => 'status=SENT', []],
    [() => `status=PENDING&sessionId=${sessions[0]}&recipientKind=CARE_PROVIDER`, ['0 CARE_PROVIDER']],
    [() => 'to=2027-02-27T09:30:00Z', ['0 CLIENT', '0 CARE_PROVIDER']],
    [() => 'from=2027-02-27T09:30:00Z&recipientKind=CLIENT', ['1 CLIENT', '2 CLIENT']],
    [() => 'from=2027-02-26T10:30:00%2B01:00&to=2027-02-26T09:30:00.001Z&recipientKind=CLIENT', ['0 CLIENT']],
    [() => 'from=2027-02-27T09:30:00.001Z', []],
    [() => 'sessionId=999999999', []],
  ])('is filtered by %s', async (query, expected) => {
    expect(told(await list(`?${query()}`))).toEqual(expected);
  });

  it('is filtered by every status', async () => {
    await callSession(`session/${sessions[0]}/cancel`, { reason: 'CLIENT_REQUEST' });
    app.clock.set('2027-02-27T09:30:00Z');
    deliver = async ({ recipient }) => {
      if (recipient.kind === 'CLIENT') throw new UndeliverableError('no such mailbox');
      return {};
    };
    await app.deliverDueReminders();
    expect(told(await list('?status=WITHDRAWN'))).toEqual(['0 CLIENT', '0 CARE_PROVIDER']);
    expect(told(await list('?status=DEAD'))).toEqual(['1 CLIENT', '2 CLIENT']);
    expect(told(await list('?status=SENT'))).toEqual(['1 CARE_PROVIDER', '2 CARE_PROVIDER']);
    for (const status of ['PENDING', 'QUEUED', 'SKIPPED']) expect(await list(`?status=${status}`)).toEqual([]);
  });

  it.each([1, 2, 4, 6, 200])('has each reminder once in pages of %i', async (limit) => {
    const read: ReminderResponse[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const answer: TestResponse = await clinicGet(`?limit=${limit}${query}`);
      expect(answer.body.items.length).toBeLessThanOrEqual(limit);
      read.push(...answer.body.items);
      cursor = answer.body.nextCursor;
    } while (cursor !== null);
    expect(read).toEqual(await list());
  });

  it.each([
    ...['status=LOST', 'recipientKind=CLINIC', 'recipientId=0', 'recipientId=x', 'sessionId=-1', 'sessionId=1.5'],
    ...['from=yesterday', 'from=2027-02-27', 'to=2027-02-30T00:00:00Z', 'limit=0', 'limit=201', 'cursor=zzz'],
  ])('refuses %s, and names it', async (query) => {
    const answer = await clinicGet(`?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([`/${query.split('=')[0]}`]);
  });

  it('of a Care Provider has only their own Sessions, with each filter', async () => {
    const listOf = async (token: string, query = '') =>
      told((await app.call('GET', `${CAREGIVER}/reminder${query}`, { token })).body.items);
    expect(await listOf(clinic.careProviderToken)).toEqual([
      '0 CLIENT',
      '0 CARE_PROVIDER',
      '1 CLIENT',
      '1 CARE_PROVIDER',
    ]);
    expect(await listOf(secondToken)).toEqual(['2 CLIENT', '2 CARE_PROVIDER']);
    expect(await listOf(secondToken, `?sessionId=${sessions[0]}`)).toEqual([]);
    expect(await listOf(secondToken, `?recipientKind=CLIENT&recipientId=${clinic.clientIds[0]}`)).toEqual([]);
    expect(await listOf(clinic.careProviderToken, '?recipientKind=CLIENT&limit=1')).toEqual(['0 CLIENT']);
  });

  it('follows Clients who are reassigned', async () => {
    const path = `${CLINIC}/care-provider/${clinic.careProviderIds[0]}/reassign`;
    const body = { toCareProviderId: clinic.careProviderIds[1] };
    expect((await app.call('POST', path, { token: clinic.clinicToken, body })).status).toBe(200);
    const answer = await app.call('GET', `${CAREGIVER}/reminder`, { token: secondToken });
    expect(answer.body.items).toHaveLength(6);
    expect((await app.call('GET', `${CAREGIVER}/reminder`, { token: clinic.careProviderToken })).body.items).toEqual(
      [],
    );
  });

  it('has only reminders of the own Clinic', async () => {
    const other = await app.createClinic();
    expect(await list('', other)).toEqual([]);
    expect(await list(`?sessionId=${sessions[0]}`, other)).toEqual([]);
  });
});

describe('a foreign reminder', () => {
  it('is answered like a reminder that does not exist', async () => {
    const [id] = await create({ reminders: ['-P1D'] });
    const { id: reminder } = await getReminder(id!);
    const other = await app.createClinic();
    const second = await app.createToken('CARE_PROVIDER', clinic.careProviderIds[1]);
    const absent = await clinicGet('/999999999');
    expect(absent.status).toBe(404);
    for (const answer of [
      await clinicGet(`/${reminder}`, other),
      await clinicPost(`/${reminder}/redrive`, other),
      await app.call('GET', `${CAREGIVER}/reminder/${reminder}`, { token: other.careProviderToken }),
      await app.call('GET', `${CAREGIVER}/reminder/${reminder}`, { token: second }),
      await clinicPost('/999999999/redrive'),
    ]) {
      expect(answer.status).toBe(404);
      expect({ ...answer.body, instance: '' }).toEqual({ ...absent.body, instance: '' });
    }
    const own = await app.call('GET', `${CAREGIVER}/reminder/${reminder}`, { token: clinic.careProviderToken });
    expect(own.body).toEqual((await clinicGet(`/${reminder}`)).body);
  });

  it.each(['0', '-1', 'x', '1.5', '%00', '99999999999999999999'])('an invalid id (%s) is 400', async (id) => {
    expect((await clinicGet(`/${id}`)).status).toBe(400);
  });

  it('is refused without a token and to other roles', async () => {
    const client = await app.createToken('CLIENT', clinic.clientIds[0]);
    for (const path of [
      `${CLINIC}/reminder`,
      `${CLINIC}/reminder/1`,
      `${CAREGIVER}/reminder`,
      `${CAREGIVER}/reminder/1`,
    ]) {
      expect((await app.call('GET', path)).status).toBe(401);
      expect((await app.call('GET', path, { token: client })).status).toBe(403);
    }
    expect((await app.call('GET', `${CLINIC}/reminder`, { token: clinic.careProviderToken })).status).toBe(403);
    expect((await app.call('GET', `${CAREGIVER}/reminder`, { token: clinic.clinicToken })).status).toBe(403);
  });
});
