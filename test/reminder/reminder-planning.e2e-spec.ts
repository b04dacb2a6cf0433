import { sql } from 'kysely';
import { Client } from '../../src/directory/index.js';
import { LogChannel, Reminder, ReminderReplanning } from '../../src/reminder/index.js';
import { MessagePreparation } from '../../src/reminder/delivery/message-preparation.js';
import { Scheduler } from '../../src/scheduler/index.js';
import type { SeriesChange } from '../../src/session/index.js';
import { buildAssignment, createPlan } from '../support/app/series-fixtures.js';
import { TestApp, waitFor, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests the planning of reminders: after moves, for Sessions in the past, after a reassignment, with quiet hours, and
 * with time zones.
 */

const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  // The tests run this job themselves. A run beside them would hold requests that they expect to process.
  await app.nest.get(Scheduler).stop('reminder-replanning');
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2027-03-01T09:00:00Z');
  app.clock.tickAtEachReading({ milliseconds: 0 });
  app.deliveredMessages.length = 0;
  clinic = await app.createClinic();
});

const asCareProvider = (method: string, path: string, body?: unknown, headers = {}): Promise<TestResponse> =>
  app.call(method, `${CAREGIVER}${path}`, { token: clinic.careProviderToken, body, headers });
const findReminders = (where: object = {}) =>
  app.asSuperuser((em) => em.find(Reminder, { clinicId: clinic.clinicId, ...where }, { orderBy: { id: 'asc' } }));
const getStates = async (where: object = {}) =>
  (await findReminders(where)).map(({ status, reason, dueAt }) => [status, reason, dueAt.toString()]);

async function create(change: object): Promise<{ id: number; message: string }> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/02', time: '10:00', ...change };
  const answer = await asCareProvider('POST', '/session', body);
  expect(answer.status).toBe(201);
  const { message } = answer.body as { message: string };
  return { message, id: Number(/created: (\d+)/.exec(message)![1]) };
}

async function move(id: number, date: string, time = '10:00'): Promise<TestResponse> {
  const version = (await asCareProvider('GET', `/session/${id}`)).headers.get('etag')!;
  const answer = await asCareProvider('PATCH', `/session/${id}`, { date, time }, { 'if-match': version });
  expect(answer.status).toBe(200);
  return answer;
}

describe('a reminder that was sent', () => {
  it('is not sent again when its Session moves by a day and back', async () => {
    const { id } = await create({ reminders: ['-P1D'] });
    app.clock.set('2027-03-01T10:00:00Z');
    await app.deliverDueReminders();
    expect(app.deliveredMessages).toHaveLength(2);
    await move(id, '2027/03/03');
    app.clock.advance({ minutes: 1 });
    await move(id, '2027/03/02');
    await app.deliverDueReminders();
    expect(app.deliveredMessages).toHaveLength(2);
    expect(await getStates({ status: 'WITHDRAWN' })).toEqual(
      Array(2).fill(['WITHDRAWN', 'ALREADY_SENT', '2027-03-01T10:00:00Z']),
    );
    // After the Session has moved to another time, its reminders are sent again.
    await move(id, '2027/03/04');
    app.clock.set('2027-03-03T10:00:00Z');
    await app.deliverDueReminders();
    expect(app.deliveredMessages).toHaveLength(4);
  });
});

describe('a homework reminder that was sent before its Session moved away and back', () => {
  beforeEach(async () => {
    const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [1, '18:00'])] }];
    const plan = await createPlan(app, clinic, { weeks });
    const body = { clientId: clinic.clientIds[0], date: '2027/03/01', time: '10:00' };
    const applied = await asCareProvider('POST', `/design-plan/${plan}/apply`, body);
    const [session] = (applied.body as SeriesChange).sessions;
    app.clock.set('2027-03-01T18:00:00Z');
    await app.deliverDueReminders();
    expect(app.deliveredMessages).toHaveLength(1);
    app.clock.advance({ hours: 1 });
    await move(session!.id!, '2027/03/02');
    app.clock.advance({ minutes: 1 });
    await move(session!.id!, '2027/03/01');
  });

  it.each([
    ['the Client changes quiet hours', () => setPreference('CLIENT', NIGHT)],
    ['the Clinic changes quiet hours', () => setPreference('CLINIC', NIGHT)],
    ['the Client moves to another time zone', () => setClientZone('America/Los_Angeles')],
  ])('is not sent again when %s', async (_, change) => {
    await change();
    await processReplanning();
    await app.deliverDueReminders();
    app.clock.set('2027-03-02T02:00:00Z');
    await app.deliverDueReminders();
    expect(app.deliveredMessages).toHaveLength(1);
    expect(await getStates()).toEqual([
      ['SENT', null, '2027-03-01T18:00:00Z'],
      ['WITHDRAWN', 'ALREADY_SENT', '2027-03-01T18:00:00Z'],
    ]);
  });
});

describe('a warning names the people who were reminded of the former time only', () => {
  const warnedPeople = ({ body }: TestResponse) =>
    (body as SeriesChange).warnings
      .filter(({ kind }) => kind === 'REMINDED_OF_FORMER_TIME')
      .map(({ detail, position }) => [/^The (.+) was reminded/.exec(detail)?.[1], position]);
  const both = [
    ['Client', 1],
    ['Care Provider', 1],
  ];

  it.each([
    // Another reminder tells the new time, or the reminder is sent again.
    [['-P1D', '-PT2H'], '2027/03/02', '08:00', []],
    [['-P1D'], '2027/03/04', '10:00', []],
    [['-P1D'], '2027/03/02', '08:00', both],
    [['-P1D', '-PT2H'], '2027/03/01', '10:30', both],
    // Reminders after the start do not tell when the Session begins.
    [['-P1D', 'P1D'], '2027/03/02', '08:00', both],
    // The Session is over.
    [['-P1D'], '2027/02/20', '10:00', []],
  ])('%j, moved to %s %s', async (reminders, date, time, expected) => {
    const { id } = await create({ reminders });
    app.clock.set('2027-03-01T10:00:00Z');
    await app.deliverDueReminders();
    expect(warnedPeople(await move(id, date, time))).toEqual(expected);
  });

  it('not if they are told the new time later, or were told it already', async () => {
    const { id } = await create({ reminders: ['-P1D'] });
    app.clock.set('2027-03-01T10:00:00Z');
    await app.deliverDueReminders();
    const moved = await move(id, '2027/03/02', '11:00');
    expect(warnedPeople(moved)).toEqual([]);
    app.clock.set('2027-03-01T11:00:00Z');
    await app.deliverDueReminders();
    expect(app.deliveredMessages).toHaveLength(4);
    const seen = { 'if-match': moved.headers.get('etag')! };
    const answer = await asCareProvider('PATCH', `/session/${id}`, { title: 'U' }, seen);
    expect([answer.status, warnedPeople(answer)]).toEqual([200, []]);
  });

  /** Waits until a message to the Client is recorded as sent. A moved reminder is no longer QUEUED before that. */
  const waitForSentEvent = () =>
    waitFor(async () =>
      (await findReminders({ recipientKind: 'CLIENT' })).some(({ history }) =>
        history.some(({ what }) => what === 'SENT'),
      ),
    );

  it('also if the Session moved while the message was being sent', async () => {
    const { id } = await create({ reminders: ['-P1D'] });
    app.clock.set('2027-03-01T10:00:00Z');
    const channel = app.nest.get(LogChannel);
    const deliver = channel.deliver.bind(channel);
    channel.deliver = async (message) => {
      if (message.recipient.kind === 'CLIENT') await move(id, '2027/03/02', '11:00');
      return deliver(message);
    };
    await app.deliverDueReminders();
    await waitForSentEvent().finally(() => (channel.deliver = deliver));
    expect(await getStates({ recipientKind: 'CLIENT' })).toEqual([['PENDING', null, '2027-03-01T11:00:00Z']]);
    const people = warnedPeople(await move(id, '2027/03/02', '08:00'));
    expect(people).toContainEqual(['Client', 1]);
  });

  it.each([
    ['before the message is sent', ['08:00']],
    ['while it is being sent', ['10:00', '08:00']],
  ])('not if only the start changes %s: they are told the new one', async (moment, expected) => {
    await setPreference('CARE_PROVIDER', { optedOut: ['SESSION'] });
    const { id } = await create({ remindDays: 0 });
    const told: string[] = [];
    const [preparation, channel] = [app.nest.get(MessagePreparation), app.nest.get(LogChannel)];
    const [prepare, deliver] = [preparation.prepare.bind(preparation), channel.deliver.bind(channel)];
    let isMoved = false;
    const moveOnce = async () => {
      if (isMoved) return;
      isMoved = true;
      expect((await move(id, '2027/03/02', '08:00')).body.warnings).toEqual([]);
    };
    preparation.prepare = async (...of) => {
      const prepared = await prepare(...of);
      if (moment.startsWith('before')) await moveOnce();
      return prepared;
    };
    channel.deliver = async (message) => {
      await moveOnce();
      told.push(message.items[0]!.startsAt.toString().slice(11, 16));
      return deliver(message);
    };
    try {
      await app.deliverDueReminders();
      if (moment.startsWith('while')) await waitForSentEvent();
      app.clock.advance({ minutes: 1 });
      await app.deliverDueReminders();
    } finally {
      Object.assign(channel, { deliver });
      Object.assign(preparation, { prepare });
    }
    expect(told).toEqual(expected);
    expect(await getStates({ recipientKind: 'CLIENT' })).toEqual([['SENT', null, '2027-03-01T09:00:00Z']]);
  });

  it('also if they were told the time before another one, which is the last that they were told', async () => {
    const { id } = await create({ reminders: ['-P1D'] });
    app.clock.set('2027-03-01T10:00:00Z');
    await app.deliverDueReminders();
    await move(id, '2027/03/02', '11:00');
    app.clock.set('2027-03-01T11:00:00Z');
    await app.deliverDueReminders();
    expect(warnedPeople(await move(id, '2027/03/02', '10:00'))).toEqual(both);
  });
});

it.each([
  ['cancel', {}],
  ['pause', {}],
  // An earlier release did not withdraw such a reminder.
  ['cancel', { status: 'SKIPPED', reason: 'QUIET_HOURS' }],
] as const)('a reminder that quiet hours have skipped is not sent after %s (%j)', async (step, stored) => {
  app.clock.set('2027-03-01T22:00:00Z');
  await setPreference('CLIENT', NIGHT);
  const { id } = await create({ date: '2027/03/02', time: '07:00', reminders: ['-PT1H'] });
  const ofClient = { recipientKind: 'CLIENT' } as const;
  expect(await getStates(ofClient)).toEqual([['SKIPPED', 'QUIET_HOURS', '2027-03-02T06:00:00Z']]);
  const session = await asCareProvider('GET', `/session/${id}`);
  const { seriesId } = session.body as { seriesId: string };
  const path = step === 'cancel' ? `/session/${id}/cancel` : `/series/${seriesId}/pause`;
  const body = step === 'cancel' ? { reason: 'ILLNESS' } : undefined;
  expect((await asCareProvider('POST', path, body)).status).toBe(200);
  if ('status' in stored)
    await app.asSuperuser((em) => em.nativeUpdate(Reminder, { sessionId: id, ...ofClient }, stored));
  await setPreference('CLIENT', { noQuietHours: true });
  app.clock.set('2027-03-02T06:00:01Z');
  await app.deliverDueReminders();
  expect(app.deliveredMessages.filter(({ clinicId }) => clinicId === clinic.clinicId)).toEqual([]);
  const withdrawn = { status: 'WITHDRAWN', reason: step === 'cancel' ? 'SESSION_CANCELLED' : 'SERIES_PAUSED' };
  const { status, reason } = { ...withdrawn, ...stored };
  expect(await getStates(ofClient)).toEqual([[status, reason, '2027-03-02T06:00:00Z']]);
});

describe('a warning names the people who were reminded of a Session that no longer takes place', () => {
  const detailsOf = ({ body }: TestResponse) =>
    (body as SeriesChange).warnings
      .filter(({ kind }) => kind === 'NOT_TOLD_OF_CANCELLATION')
      .map(({ detail }) => detail);
  const cancel = (id: number, query = '') =>
    asCareProvider('POST', `/session/${id}/cancel${query}`, { reason: 'ILLNESS' });
  const about = (change: string) =>
    ['Client', 'Care Provider'].map((who) => `The ${who} was reminded of the Session, and gets no message ${change}.`);

  it('when it is cancelled, also in a dry run, and not when it changes later', async () => {
    const { id } = await create({ reminders: ['-P1D', '-PT2H'] });
    app.clock.set('2027-03-01T10:00:00Z');
    await app.deliverDueReminders();
    const expected = about('about its cancellation');
    expect(detailsOf(await cancel(id, '?dryRun=true'))).toEqual(expected);
    const cancelled = await cancel(id);
    expect(detailsOf(cancelled)).toEqual(expected);
    app.clock.advance({ minutes: 1 });
    const seen = { 'if-match': cancelled.headers.get('etag')! };
    const changed = await asCareProvider('PATCH', `/session/${id}`, { title: 'U' }, seen);
    expect([changed.status, detailsOf(changed)]).toEqual([200, []]);
  });

  it('when its series is paused', async () => {
    const { id } = await create({ reminders: ['-P1D'] });
    app.clock.set('2027-03-01T10:00:00Z');
    await app.deliverDueReminders();
    const { seriesId } = (await asCareProvider('GET', `/session/${id}`)).body;
    expect(detailsOf(await asCareProvider('POST', `/series/${seriesId}/pause`))).toEqual(about('that it is paused'));
  });

  it('not if no reminder was sent, or if the Session is over', async () => {
    const { id } = await create({ reminders: ['-P1D'] });
    const { id: over } = await create({ reminders: ['-P1D'], date: '2027/03/02', time: '09:30' });
    expect(detailsOf(await cancel(id))).toEqual([]);
    app.clock.set('2027-03-01T10:00:00Z');
    await app.deliverDueReminders();
    app.clock.set('2027-03-02T11:00:00Z');
    expect(detailsOf(await cancel(over))).toEqual([]);
  });
});

it('a warning does not name a Care Provider whose Client was handed over', async () => {
  const { id } = await create({ reminders: ['-P1D'] });
  app.clock.set('2027-03-01T10:00:00Z');
  await app.deliverDueReminders();
  const [from, to] = clinic.careProviderIds;
  const body = { clientIds: [clinic.clientIds[0]], toCareProviderId: to };
  const path = `${CLINIC}/care-provider/${from}/reassign`;
  expect((await app.call('POST', path, { token: clinic.clinicToken, body })).status).toBe(200);
  const token = await app.createToken('CARE_PROVIDER', to);
  const session = `${CAREGIVER}/session/${id}`;
  const seen = (await app.call('GET', session, { token })).headers.get('etag')!;
  const slot = { date: '2027/03/02', time: '08:00' };
  const moved = await app.call('PATCH', session, { token, headers: { 'if-match': seen }, body: slot });
  const cancelled = await app.call('POST', `${session}/cancel`, { token, body: { reason: 'ILLNESS' } });
  const detailsOf = ({ body: change }: TestResponse) => (change as SeriesChange).warnings.map(({ detail }) => detail);
  expect([...detailsOf(moved), ...detailsOf(cancelled)]).toEqual([
    'The Client was reminded of the former time, and gets no reminder of the new one before the Session.',
    'The Client was reminded of the Session, and gets no message about its cancellation.',
  ]);
});

it('a homework reminder that was withdrawn has the new zone of the Client when its Session is restored', async () => {
  const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [2, '20:00'])] }];
  const plan = await createPlan(app, clinic, { weeks });
  const body = { clientId: clinic.clientIds[0], date: '2027/03/08', time: '10:00' };
  const { sessions } = (await asCareProvider('POST', `/design-plan/${plan}/apply`, body)).body;
  const step = (name: string, reason: object) => asCareProvider('POST', `/session/${sessions[0].id}/${name}`, reason);
  expect((await step('cancel', { reason: 'ILLNESS' })).status).toBe(200);
  expect(await getStates()).toEqual([['WITHDRAWN', 'SESSION_CANCELLED', '2027-03-09T20:00:00Z']]);
  const client = `${CLINIC}/client/${clinic.clientIds[0]}`;
  const change = { token: clinic.clinicToken, body: { timeZone: 'Asia/Tokyo' } };
  expect((await app.call('PATCH', client, change)).status).toBe(200);
  expect(await getStates()).toEqual([['WITHDRAWN', 'SESSION_CANCELLED', '2027-03-09T11:00:00Z']]);
  expect((await step('undo', {})).status).toBe(200);
  expect(await getStates()).toEqual([['PENDING', null, '2027-03-09T11:00:00Z']]);
});

describe('an opted-out recipient', () => {
  const optOut = async (...optedOut: string[]) => {
    const token = await app.createToken('CLIENT', clinic.clientIds[0]);
    const path = '/gateway/profile/client/reminder-preference';
    expect((await app.call('PUT', path, { token, body: { optedOut } })).status).toBe(200);
  };

  it('does not count as reminded of a new time', async () => {
    const { id } = await create({ reminders: ['-P1D', '-PT2H'] });
    app.clock.set('2027-03-01T10:00:00Z');
    await app.deliverDueReminders();
    await optOut('HOMEWORK');
    expect((await move(id, '2027/03/02', '09:00')).body.warnings).toEqual([]);
    await optOut('SESSION');
    const details = (await move(id, '2027/03/02', '09:30')).body.warnings.map(
      ({ detail }: { detail: string }) => detail,
    );
    expect(details).toEqual([
      'The Client was reminded of the former time, and gets no reminder of the new one before the Session.',
    ]);
  });

  it('has no warnings about the reminders of new or changed Sessions', async () => {
    const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [1, '07:00'])] }, {}];
    const plan = await createPlan(app, clinic, { weeks });
    const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/02', time: '10:00', reminders: ['-P2D'] };
    const kindsOf = ({ body: { warnings } }: TestResponse) =>
      (warnings as SeriesChange['warnings']).map(({ kind, position }) => `${kind} ${position}`);
    const apply = async (query = '') =>
      kindsOf(await asCareProvider('POST', `/design-plan/${plan}/apply${query}`, { ...body, title: undefined }));
    const past = 'REMINDER_IN_THE_PAST 1';
    expect(await apply()).toEqual([past, past, 'BEFORE_SESSION 1']);
    await optOut('HOMEWORK');
    expect(await apply()).toEqual([past, past]);
    expect((await create({ reminders: ['-P2D'] })).message).toContain('REMINDER_IN_THE_PAST');
    await optOut('SESSION');
    expect(await apply('?dryRun=true')).toEqual([past, 'BEFORE_SESSION 1']);
    await setPreference('CARE_PROVIDER', { optedOut: ['SESSION'] });
    await setPreference('CLIENT', { optedOut: ['SESSION', 'HOMEWORK'] });
    expect(await apply()).toEqual([]);
    const { id, message } = await create({ reminders: ['-P2D'] });
    expect(message).not.toContain('REMINDER_IN_THE_PAST');
    const ofClinic = await app.call('POST', `${CLINIC}/session`, {
      token: clinic.clinicToken,
      body: { ...body, caregiverId: clinic.careProviderIds[0] },
    });
    expect(kindsOf(ofClinic)).toEqual([]);
    expect(kindsOf(await move(id, '2027/03/02', '11:00'))).toEqual([]);
  });

  it('is promised no reminder of this kind', async () => {
    const plan = await createPlan(app, clinic, {
      weeks: [{ assignments: [buildAssignment(clinic.ownBookId, [2, '20:00'])] }],
    });
    const body = { clientId: clinic.clientIds[0], date: '2027/03/02', time: '10:00', reminders: ['-PT2H'] };
    const { sessions } = (await asCareProvider('POST', `/design-plan/${plan}/apply`, body)).body;
    const ahead = async () =>
      (await asCareProvider('GET', `/session/${sessions[0].id}?include=reminders`)).body.remindersAhead.map(
        (reminder: { recipientKind: string; homeworkId: number | null }) =>
          `${reminder.recipientKind} ${reminder.homeworkId === null ? 'SESSION' : 'HOMEWORK'}`,
      );
    const told = async () =>
      Promise.all(
        (await findReminders()).map(async ({ id, recipientKind, kind }) => {
          const answer = await app.call('GET', `${CLINIC}/reminder/${id}`, { token: clinic.clinicToken });
          return [`${recipientKind} ${kind}`, answer.body.optedOut];
        }),
      );
    const all = ['CLIENT SESSION', 'CARE_PROVIDER SESSION', 'CLIENT HOMEWORK'];
    expect(await ahead()).toEqual(all);
    expect(await told()).toEqual(all.map((one) => [one, false]));
    for (const kind of ['SESSION', 'HOMEWORK']) {
      await optOut(kind);
      expect(await ahead()).toEqual(all.filter((one) => one !== `CLIENT ${kind}`));
      expect(await told()).toEqual(all.map((one) => [one, one === `CLIENT ${kind}`]));
    }
  });
});

describe('a record that is entered or corrected afterwards', () => {
  it('skips reminders of the past, with a warning in the response', async () => {
    const { message } = await create({ date: '2027/02/22', reminders: ['-P1D', 'P1D', 'P14D'], remindDays: 0 });
    expect(message).toContain('REMINDER_IN_THE_PAST: A reminder for the Client was due more than 15 minutes ago');
    await app.deliverDueReminders();
    // The reminder that counts from the creation of the Session is due now; the other one is due in the future.
    expect(await getStates({ recipientKind: 'CLIENT' })).toEqual([
      ['SENT', null, '2027-03-01T09:00:00Z'],
      ['SKIPPED', 'PAST_WHEN_PLANNED', '2027-02-21T10:00:00Z'],
      ['SKIPPED', 'PAST_WHEN_PLANNED', '2027-02-23T10:00:00Z'],
      ['PENDING', null, '2027-03-08T10:00:00Z'],
    ]);
    expect(app.deliveredMessages.map(({ late }) => late)).toEqual([false, false]);
  });

  it('skips reminders of a Session that moves into the past, with a warning, and restores them when it moves back', async () => {
    const { id } = await create({ reminders: ['-P1D'] });
    app.clock.tickAtEachReading({ milliseconds: 1 });
    const answer = await move(id, '2027/02/22');
    expect(answer.body.warnings).toEqual(
      Array(2).fill(expect.objectContaining({ kind: 'REMINDER_IN_THE_PAST', position: 1 })),
    );
    await app.deliverDueReminders();
    expect(await getStates()).toEqual(Array(2).fill(['SKIPPED', 'PAST_WHEN_PLANNED', '2027-02-21T10:00:00Z']));
    await move(id, '2027/03/05');
    expect(await getStates()).toEqual(Array(2).fill(['PENDING', null, '2027-03-04T10:00:00Z']));
  });

  it('sends reminders that were due up to 15 minutes ago, unless the Session has begun', async () => {
    await create({ date: '2027/03/01', time: '09:40', reminders: ['-PT45M'] });
    await create({ date: '2027/03/01', time: '08:58', reminders: ['-PT5M'] });
    await app.deliverDueReminders();
    expect((await findReminders()).map(({ status, reason }) => [status, reason])).toEqual([
      ...Array<unknown>(2).fill(['SENT', null]),
      ...Array<unknown>(2).fill(['SKIPPED', 'PAST_WHEN_PLANNED']),
    ]);
  });

  it('does not send reminders that were due before the start once the Session has begun', async () => {
    await create({ date: '2027/03/01', time: '10:00', reminders: ['-PT30M', 'PT0S'] });
    app.clock.set('2027-03-01T10:00:01Z');
    await app.deliverDueReminders();
    expect((await findReminders({ recipientKind: 'CLIENT' })).map(({ status, reason }) => [status, reason])).toEqual([
      ['SKIPPED', 'SESSION_STARTED'],
      ['SENT', null],
    ]);
  });
});

it('a completed Session keeps remindDays reminders that are due in the future', async () => {
  const { id } = await create({ date: '2027/03/02', reminders: ['-PT1H', 'P1D'], remindDays: 5 });
  app.clock.set('2027-03-02T11:00:00Z');
  expect((await asCareProvider('POST', `/session/${id}/complete`)).status).toBe(200);
  expect(await getStates({ recipientKind: 'CARE_PROVIDER' })).toEqual([
    ['PENDING', null, '2027-03-06T09:00:00Z'],
    ['WITHDRAWN', 'SESSION_OVER', '2027-03-02T09:00:00Z'],
    ['PENDING', null, '2027-03-03T10:00:00Z'],
  ]);
});

it('a reassignment is in the history of each reminder that it changes', async () => {
  const plan = await createPlan(app, clinic, {
    weeks: [{ assignments: [buildAssignment(clinic.ownBookId, [2, '20:00'])] }],
  });
  const body = { clientId: clinic.clientIds[0], date: '2027/03/02', time: '10:00', reminders: ['-PT1H'] };
  expect((await asCareProvider('POST', `/design-plan/${plan}/apply`, body)).status).toBe(201);
  const [from, to] = clinic.careProviderIds;
  const path = `${CLINIC}/care-provider/${from}/reassign`;
  const answer = await app.call('POST', path, { token: clinic.clinicToken, body: { toCareProviderId: to } });
  expect(answer.status).toBe(200);
  const told = (await findReminders()).map(({ recipientKind, recipientId, history }) => [
    recipientKind,
    recipientId,
    history,
  ]);
  const events = [
    { at: '2027-03-01T09:00:00.000Z', what: 'HANDED_OVER', fromCareProviderId: from, toCareProviderId: to },
  ];
  expect(told).toEqual([
    ['CLIENT', clinic.clientIds[0], events],
    ['CARE_PROVIDER', to, events],
    ['CLIENT', clinic.clientIds[0], events],
  ]);
  const [first] = await findReminders();
  const read = await app.call('GET', `${CLINIC}/reminder/${first!.id}`, { token: clinic.clinicToken });
  expect(read.body.history).toEqual([expect.objectContaining({ what: 'PLANNED' }), ...events]);
});

const PREFERENCE = { CLIENT: '/gateway/profile/client', CARE_PROVIDER: CAREGIVER, CLINIC } as const;
async function setPreference(owner: keyof typeof PREFERENCE, body: object): Promise<void> {
  const id = { CLIENT: clinic.clientIds[0], CARE_PROVIDER: clinic.careProviderIds[0], CLINIC: clinic.clinicId }[owner];
  const token = await app.createToken(owner, id);
  const answer = await app.call('PUT', `${PREFERENCE[owner]}/reminder-preference`, { token, body });
  expect(answer.status).toBe(200);
}
async function setClientZone(timeZone: string): Promise<void> {
  const path = `${CLINIC}/client/${clinic.clientIds[0]}`;
  expect((await app.call('PATCH', path, { token: clinic.clinicToken, body: { timeZone } })).status).toBe(200);
}
const NIGHT = { quietHours: { from: '21:00', to: '08:00' } };
const getTimes = async (where: object = {}) =>
  (await findReminders(where)).map(({ status, dueAt, sendAt }) => [status, dueAt.toString(), sendAt.toString()]);
const getEvents = async (where: object) =>
  (await findReminders(where)).map(({ history }) => history.map(({ what }) => what));
const processReplanning = () => app.nest.get(ReminderReplanning).processRequests();

describe('quiet hours', () => {
  it('advance a reminder one hour before the start, which the dry run and the history show', async () => {
    await setPreference('CLIENT', NIGHT);
    const plan = await createPlan(app, clinic, { weeks: [{}] });
    const body = { clientId: clinic.clientIds[0], date: '2027/03/03', time: '07:00', reminders: ['-PT1H'] };
    const path = `/design-plan/${plan}/apply`;
    const [dryRun, real] = [
      await asCareProvider('POST', `${path}?dryRun=true`, body),
      await asCareProvider('POST', path, body),
    ];
    const warnings = [
      {
        ...{ kind: 'QUIET_HOURS', position: 1 },
        detail:
          'Quiet hours do not end at least 30 minutes before the Session. The reminder for the Client ' +
          'that is due on 2027/03/03 at 06:00 is sent before they begin, on 2027/03/02 at 20:59 (Europe/London).',
      },
    ];
    expect([dryRun.body.warnings, real.body.warnings]).toEqual([warnings, warnings]);
    expect(await getTimes()).toEqual([
      ['PENDING', '2027-03-03T06:00:00Z', '2027-03-02T20:59:00Z'],
      ['PENDING', '2027-03-03T06:00:00Z', '2027-03-03T06:00:00Z'],
    ]);
    expect((await findReminders({ recipientKind: 'CLIENT' }))[0]!.history).toEqual([
      {
        ...{ at: '2027-03-01T09:00:00.000Z', what: 'ADVANCED', reason: 'QUIET_HOURS' },
        until: '2027-03-02T20:59:00.000Z',
      },
    ]);
    app.clock.set('2027-03-02T20:59:03Z');
    await app.deliverDueReminders();
    expect(app.deliveredMessages.map(({ recipient, late }) => [recipient.kind, late])).toEqual([['CLIENT', false]]);
    // The Client's reminder was sent early, so it is not sent again at its due time.
    app.clock.set('2027-03-03T06:00:00Z');
    await app.deliverDueReminders();
    expect(app.deliveredMessages.map(({ recipient }) => recipient.kind)).toEqual(['CLIENT', 'CARE_PROVIDER']);
  });

  it('are told in the message by one sentence, also if they change many reminders', async () => {
    await setPreference('CLIENT', NIGHT);
    const day = { date: '2027/03/03', time: '07:00', sessionCount: 20 };
    const { message } = await create({ ...day, reminders: ['-PT1H', '-PT2H', '-PT3H'] });
    expect(message).toMatch(
      /^20 Sessions were created: [\d, ]+\. QUIET_HOURS: [^:]+06:00[^:]+20:59 \(Europe\/London\)\. 59 more/,
    );
    expect(message.length).toBeLessThan(500);
  });

  it('skip a reminder if they last until the start and the minute before them has passed, with a warning', async () => {
    app.clock.set('2027-03-02T22:00:00Z');
    await setPreference('CLIENT', NIGHT);
    const { message } = await create({ date: '2027/03/03', time: '07:00', reminders: ['-PT1H'] });
    expect(message).toContain(
      'QUIET_HOURS: Quiet hours last until the Session starts. A reminder for the Client is not sent.',
    );
    expect(await getStates({ recipientKind: 'CLIENT' })).toEqual([['SKIPPED', 'QUIET_HOURS', '2027-03-03T06:00:00Z']]);
    // Without quiet hours, the reminder is sent at its due time.
    await setPreference('CLIENT', { noQuietHours: true });
    expect(await getTimes({ recipientKind: 'CLIENT' })).toEqual([
      ['PENDING', '2027-03-03T06:00:00Z', '2027-03-03T06:00:00Z'],
    ]);
    expect(await getEvents({ recipientKind: 'CLIENT' })).toEqual([['SKIPPED', 'RESCHEDULED']]);
  });

  it('that are set later replan the unsent reminders of this recipient only', async () => {
    await create({ date: '2027/03/03', time: '07:00', reminders: ['-PT1H', '-PT9H'] });
    await setPreference('CARE_PROVIDER', { quietHours: { from: '22:30', to: '06:30' } });
    expect(await getTimes()).toEqual([
      ['PENDING', '2027-03-03T06:00:00Z', '2027-03-03T06:00:00Z'],
      ['PENDING', '2027-03-03T06:00:00Z', '2027-03-03T06:30:00Z'],
      ['PENDING', '2027-03-02T22:00:00Z', '2027-03-02T22:00:00Z'],
      ['PENDING', '2027-03-02T22:00:00Z', '2027-03-02T22:00:00Z'],
    ]);
    await setPreference('CARE_PROVIDER', { quietHours: { from: '21:00', to: '06:45' } });
    expect(await getTimes({ recipientKind: 'CARE_PROVIDER' })).toEqual([
      ['PENDING', '2027-03-03T06:00:00Z', '2027-03-02T20:59:00Z'],
      ['PENDING', '2027-03-02T22:00:00Z', '2027-03-02T20:59:00Z'],
    ]);
    await setPreference('CARE_PROVIDER', {});
    expect(await getEvents({ recipientKind: 'CARE_PROVIDER' })).toEqual([
      ['DEFERRED', 'ADVANCED', 'RESCHEDULED'],
      ['ADVANCED', 'RESCHEDULED'],
    ]);
  });

  it('of a Clinic replan the reminders of recipients without own quiet hours, by the job, in this Clinic only', async () => {
    const other = await app.createClinic();
    const mine = clinic;
    clinic = other;
    await create({ date: '2027/03/03', time: '07:00', reminders: ['-PT1H'] });
    clinic = mine;
    await create({ date: '2027/03/03', time: '07:00', reminders: ['-PT1H'] });
    await setPreference('CLIENT', { noQuietHours: true });
    await setPreference('CLINIC', NIGHT);
    expect((await getTimes()).map(([, , sendAt]) => sendAt)).toEqual(Array(2).fill('2027-03-03T06:00:00Z'));
    expect(await processReplanning()).toBe(1);
    expect((await getTimes()).map(([, , sendAt]) => sendAt)).toEqual(['2027-03-03T06:00:00Z', '2027-03-02T20:59:00Z']);
    expect(await processReplanning()).toBe(0);
    clinic = other;
    expect((await getTimes()).map(([, , sendAt]) => sendAt)).toEqual(Array(2).fill('2027-03-03T06:00:00Z'));
  });
});

it('thousands of reminders of one recipient are replanned by the job', async () => {
  await create({ date: '2027/03/03', time: '07:00', reminders: ['-PT1H'] });
  const copy = (count: number) =>
    app.queryRows(sql`
      insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at,
        not_after, status, story, created_at)
      select clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, not_after, status,
        story, created_at
      from (select * from reminder where clinic_id = ${clinic.clinicId} and recipient_kind = 'CLIENT' limit 1) as one
        cross join generate_series(1, ${count}::int)`);
  const countEarly = async () => {
    const times = await getTimes({ recipientKind: 'CLIENT' });
    return times.filter(([, , sendAt]) => sendAt === '2027-03-02T20:59:00Z').length;
  };
  await copy(1_999);
  await setPreference('CLIENT', NIGHT);
  expect(await countEarly()).toBe(2_000);
  await setPreference('CLIENT', { noQuietHours: true });
  await copy(1);
  await setPreference('CLIENT', NIGHT);
  expect(await countEarly()).toBe(0);
  expect(await processReplanning()).toBe(2_001);
  expect(await countEarly()).toBe(2_001);
});

describe('a homework reminder that was sent, and that a revision has removed', () => {
  it('is not planned again for the new time of its Session', async () => {
    const weeks = (...times: [number, string][]) => [{ assignments: [buildAssignment(clinic.ownBookId, ...times)] }];
    const plan = await createPlan(app, clinic, { weeks: weeks([1, '12:00'], [2, '12:00']) });
    const body = { clientId: clinic.clientIds[0], date: '2027/03/01', time: '10:00' };
    expect((await asCareProvider('POST', `/design-plan/${plan}/apply`, body)).status).toBe(201);
    for (const time of ['2027-03-01T12:00:00Z', '2027-03-02T12:00:00Z']) {
      app.clock.set(time);
      await app.deliverDueReminders();
    }
    // The Client did not come, so the Session is moved before the plan is revised.
    const [session] = (await asCareProvider('GET', '/session')).body.items as { id: number; seriesId: string }[];
    await move(session!.id, '2027/03/08');
    const revise = async (version: number, ...times: [number, string][]) => {
      const replaced = { planName: 'Sleep', weeks: weeks(...times) };
      const headers = { 'if-match': `"${version}"` };
      const path = `${CLINIC}/design-plan/${plan}`;
      const put = await app.call('PUT', path, { token: clinic.clinicToken, body: replaced, headers });
      expect(put.status).toBe(200);
      expect((await asCareProvider('POST', `/series/${session!.seriesId}/revise`, {})).status).toBe(200);
    };
    await revise(1, [2, '18:00']);
    const pending = () => getStates({ status: 'PENDING' });
    expect(await pending()).toEqual([['PENDING', null, '2027-03-09T18:00:00Z']]);
    await move(session!.id, '2027/03/15');
    expect(await pending()).toEqual([['PENDING', null, '2027-03-16T18:00:00Z']]);
    // A later revision that contains it again plans it for the new time.
    await revise(2, [1, '12:00'], [2, '18:00']);
    expect((await pending()).sort()).toEqual([
      ['PENDING', null, '2027-03-15T12:00:00Z'],
      ['PENDING', null, '2027-03-16T18:00:00Z'],
    ]);
    expect(await getStates({ status: 'SENT' })).toEqual([
      ['SENT', null, '2027-03-01T12:00:00Z'],
      ['SENT', null, '2027-03-02T12:00:00Z'],
    ]);
  });

  it('is not sent again if two revisions remove it and contain it again within minutes', async () => {
    const assignments = (...times: [number, string][]) => [buildAssignment(clinic.ownBookId, ...times)];
    const plan = await createPlan(app, clinic, { weeks: [{ assignments: assignments([1, '09:00']) }] });
    const body = { clientId: clinic.clientIds[0], date: '2027/03/02', time: '10:00' };
    const { seriesId } = (await asCareProvider('POST', `/design-plan/${plan}/apply`, body)).body as SeriesChange;
    app.clock.set('2027-03-02T09:00:00Z');
    await app.deliverDueReminders();
    for (const [index, times] of ([[], [[1, '09:00']]] as [number, string][][]).entries()) {
      app.clock.advance({ minutes: 1 });
      const replaced = { planName: 'Sleep', weeks: [{ assignments: assignments(...times) }] };
      const headers = { 'if-match': `"${index + 1}"` };
      const path = `${CLINIC}/design-plan/${plan}`;
      expect((await app.call('PUT', path, { token: clinic.clinicToken, body: replaced, headers })).status).toBe(200);
      expect((await asCareProvider('POST', `/series/${seriesId}/revise`, {})).status).toBe(200);
    }
    await app.deliverDueReminders();
    expect(await getStates()).toEqual([['SENT', null, '2027-03-02T09:00:00Z']]);
    expect(app.deliveredMessages).toHaveLength(1);
  });
});

describe('the time zone of homework reminders', () => {
  const weeks = () => [1, 2, 3].map(() => ({ assignments: [buildAssignment(clinic.ownBookId, [2, '20:00'])] }));
  const change = async (path: string, body: object, role: 'CLINIC' | 'ADMIN' = 'CLINIC') => {
    const token = role === 'ADMIN' ? await app.createToken('ADMIN') : clinic.clinicToken;
    const answer = await app.call('PATCH', path, { token, body });
    expect(answer.status).toBe(200);
  };
  const clientPath = () => `${CLINIC}/client/${clinic.clientIds[0]}`;
  const clientZone = (timeZone: string) => change(clientPath(), { timeZone });
  const clinicZone = async (timeZone: string) => {
    await change(`/gateway/admin/clinic/${clinic.clinicId}`, { timeZone }, 'ADMIN');
    await processReplanning();
  };
  const apply = async () => {
    const plan = await createPlan(app, clinic, { weeks: weeks() });
    const body = { clientId: clinic.clientIds[0], date: '2027/03/01', time: '10:00' };
    expect((await asCareProvider('POST', `/design-plan/${plan}/apply`, body)).status).toBe(201);
  };
  const due = async () => (await findReminders()).map(({ status, dueAt }) => `${status} ${dueAt.toString()}`);

  it("is the Client's present zone: a change moves unsent reminders and leaves sent ones", async () => {
    await change(clientPath(), { timeZone: 'Asia/Kathmandu' });
    await apply();
    app.clock.set('2027-03-02T14:15:00Z');
    await app.deliverDueReminders();
    await change(clientPath(), { timeZone: 'America/St_Johns' });
    // Unsent reminders are now due at 20:00 in St. John's, where the clocks go forward on 14 March.
    expect(await due()).toEqual([
      'SENT 2027-03-02T14:15:00Z',
      'PENDING 2027-03-09T23:30:00Z',
      'PENDING 2027-03-16T22:30:00Z',
    ]);
    expect((await findReminders())[1]!.history).toEqual([
      {
        ...{ at: '2027-03-02T14:15:00.000Z', what: 'MOVED', reason: 'TIME_ZONE' },
        ...{ from: '2027-03-09T14:15:00.000Z', to: '2027-03-09T23:30:00.000Z' },
      },
    ]);
    // When the Session moves, reminders that were sent get successors in the current time zone, and unsent ones move
    // with it.
    const [series] = (await asCareProvider('GET', '/session')).body.items as { seriesId: string }[];
    expect((await asCareProvider('POST', `/series/${series!.seriesId}/shift`, { days: 1 })).status).toBe(200);
    expect(await due()).toEqual([
      'SENT 2027-03-02T14:15:00Z',
      'PENDING 2027-03-10T23:30:00Z',
      'PENDING 2027-03-17T22:30:00Z',
    ]);
  });

  it.each([
    ['the Client', clientZone],
    ['the Clinic', clinicZone],
  ] as const)(
    'is corrected: the zone of %s brings back reminders that a wrong zone has skipped',
    async (_, setZone) => {
      await setZone('Asia/Kathmandu');
      app.clock.set('2027-03-02T16:00:00Z');
      // In Kathmandu, 20:00 on 2 March has passed by 105 minutes.
      await apply();
      expect((await due())[0]).toBe('SKIPPED 2027-03-02T14:15:00Z');
      await setZone('Europe/London');
      expect((await due())[0]).toBe('PENDING 2027-03-02T20:00:00Z');
      // A change by mistake, which is corrected before the reminder is due.
      app.clock.set('2027-03-02T19:00:00Z');
      await setZone('Asia/Kathmandu');
      expect((await due())[0]).toBe('SKIPPED 2027-03-02T14:15:00Z');
      await setZone('Europe/London');
      app.clock.set('2027-03-02T20:00:00Z');
      await app.deliverDueReminders();
      expect((await due())[0]).toBe('SENT 2027-03-02T20:00:00Z');
    },
  );

  it('does not bring back a reminder that is also past in the new zone, which keeps its reason', async () => {
    await apply();
    app.clock.set('2027-03-03T20:30:00Z');
    await app.deliverDueReminders();
    const [before] = await getStates();
    expect(before).toEqual(['SKIPPED', 'TOO_LATE', '2027-03-02T20:00:00Z']);
    await clientZone('America/St_Johns');
    expect([(await getStates())[0], (await findReminders())[0]!.history.at(-1)]).toEqual([
      before,
      expect.objectContaining({ what: 'SKIPPED', reason: 'TOO_LATE' }),
    ]);
  });

  it("is the Clinic's zone for a Client without one: the job replans after a change, also by an import", async () => {
    await apply();
    await change(`/gateway/admin/clinic/${clinic.clinicId}`, { timeZone: 'America/St_Johns' }, 'ADMIN');
    expect(await processReplanning()).toBe(3);
    expect(await due()).toEqual([
      'PENDING 2027-03-02T23:30:00Z',
      'PENDING 2027-03-09T23:30:00Z',
      'PENDING 2027-03-16T22:30:00Z',
    ]);
    await app.asSuperuser(async (em) => {
      em.assign(await em.findOneOrFail(Client, { id: clinic.clientIds[0] }), { externalId: 'c-1' });
    });
    const raw = JSON.stringify({ externalId: 'c-1', name: 'One', timeZone: 'Asia/Kathmandu' });
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await app.call('POST', `${CLINIC}/client/import`, { token: clinic.clinicToken, raw, headers });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('replaced')]);
    expect(await processReplanning()).toBe(3);
    expect((await due())[0]).toBe('PENDING 2027-03-02T14:15:00Z');
  });
});

describe('a reminder whose new time would be after the year 9999', () => {
  const apply = async (date: string, time: string) => {
    const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [1, time])] }];
    const plan = await createPlan(app, clinic, { weeks });
    const body = { clientId: clinic.clientIds[0], date, time: '09:00' };
    expect((await asCareProvider('POST', `/design-plan/${plan}/apply`, body)).status).toBe(201);
  };
  const setZone = async (path: string, timeZone: string | null, token = clinic.clinicToken) =>
    expect((await app.call('PATCH', path, { token, body: { timeZone } })).status).toBe(200);
  const AFTER_NEW_YEAR = { quietHours: { from: '14:00', to: '13:59' } };
  const KEPT = ['PENDING', '9999-12-31T15:00:00Z', '9999-12-31T15:00:00Z'];

  it('keeps its times when quiet hours or the zone of its recipient change, and follows a later change', async () => {
    await apply('9999/12/31', '15:00');
    const client = `${CLINIC}/client/${clinic.clientIds[0]}`;
    await setPreference('CLIENT', AFTER_NEW_YEAR);
    await setZone(client, 'Pacific/Honolulu');
    expect([await getTimes(), await getEvents({})]).toEqual([[KEPT], [[]]]);
    await setPreference('CLIENT', {});
    await setZone(client, 'Asia/Kathmandu');
    expect(await getTimes()).toEqual([['PENDING', '9999-12-31T09:15:00Z', '9999-12-31T09:15:00Z']]);
  });

  it('keeps its times when the quiet hours or the zone of its Clinic change', async () => {
    await apply('9999/12/31', '15:00');
    await apply('9999/12/30', '15:00');
    await setPreference('CLINIC', AFTER_NEW_YEAR);
    expect(await processReplanning()).toBe(1);
    expect(await getTimes()).toEqual([KEPT, ['PENDING', '9999-12-30T15:00:00Z', '9999-12-31T13:59:00Z']]);
    await setPreference('CLINIC', {});
    await setZone(`/gateway/admin/clinic/${clinic.clinicId}`, 'Pacific/Honolulu', await app.createToken('ADMIN'));
    expect(await processReplanning()).toBe(1);
    expect(await getTimes()).toEqual([KEPT, ['PENDING', '9999-12-31T01:00:00Z', '9999-12-31T01:00:00Z']]);
  });
});

it('a Clinic whose reminders cannot be replanned does not delay other Clinics, and is tried again', async () => {
  const other = await app.createClinic();
  const mine = clinic;
  await create({ date: '2027/03/03', time: '07:00', reminders: ['-PT1H'] });
  await setPreference('CLINIC', NIGHT);
  const [broken] = await findReminders();
  const setRule = (rule: object) =>
    app.asSuperuser((em) => em.nativeUpdate(Reminder, { id: broken!.id }, { rule: rule }));
  // A rule that this release does not know.
  await setRule({ kind: 'HOMEWORK', bookId: 1, reminderDay: 1, time: 'noon', timeZone: 'Europe/London' });
  clinic = other;
  await create({ date: '2027/03/03', time: '07:00', reminders: ['-PT1H'] });
  await setPreference('CLINIC', NIGHT);
  await expect(processReplanning()).rejects.toThrow(`Clinic ${mine.clinicId}`);
  expect((await getTimes()).map(([, , sendAt]) => sendAt)).toEqual(Array(2).fill('2027-03-02T20:59:00Z'));
  await setRule(broken!.rule);
  clinic = mine;
  expect(await processReplanning()).toBe(2);
  expect((await getTimes()).map(([, , sendAt]) => sendAt)).toEqual(Array(2).fill('2027-03-02T20:59:00Z'));
});

describe('homework between two Sessions', () => {
  it('has no reminders after its due day, except in the last week; the dry run warns, also about early reminders', async () => {
    const assignments = () => [buildAssignment(clinic.ownBookId, [1, '09:00'], [4, '20:00'], [5, '20:00'])];
    const plan = await createPlan(app, clinic, {
      weeks: [{ assignments: assignments() }, { assignments: assignments() }],
    });
    // Day 4 is the day of the next Session, and day 5 is the day after it.
    const body = { clientId: clinic.clientIds[0], date: '2027/03/02', time: '10:00', intervalDays: 3 };
    const path = `/design-plan/${plan}/apply`;
    const dryRun = await asCareProvider('POST', `${path}?dryRun=true`, body);
    const real = await asCareProvider('POST', path, body);
    const bookId = clinic.ownBookId;
    const early = 'A homework reminder is due before the Session in which the homework is assigned.';
    const late = 'A homework reminder is due after 2027/03/05, the date of the next Session. It is not sent.';
    expect(real.body.warnings).toEqual([
      { kind: 'BEFORE_SESSION', detail: early, position: 1, bookId },
      { kind: 'AFTER_DUE', detail: late, position: 1, bookId },
      { kind: 'BEFORE_SESSION', detail: early, position: 2, bookId },
    ]);
    expect(dryRun.body.warnings).toEqual(real.body.warnings);
    for (const day of ['02T09:00', '05T09:00', '05T20:00', '06T20:00', '08T20:00', '09T20:00']) {
      app.clock.set(`2027-03-${day}:00Z`);
      await app.deliverDueReminders();
    }
    expect(
      (await findReminders()).map(({ status, reason, dueAt }) => [dueAt.toString().slice(8, 16), status, reason]),
    ).toEqual([
      ['02T09:00', 'SENT', null],
      ['05T20:00', 'SENT', null],
      ['06T20:00', 'SKIPPED', 'AFTER_DUE'],
      ['05T09:00', 'SENT', null],
      ['08T20:00', 'SENT', null],
      ['09T20:00', 'SENT', null],
    ]);
  });

  it('warns when a Session moves before a homework reminder of the previous one', async () => {
    const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [6, '20:00'])] }, {}];
    const plan = await createPlan(app, clinic, { weeks });
    const body = { clientId: clinic.clientIds[0], date: '2027/03/02', time: '10:00' };
    const { sessions, warnings } = (await asCareProvider('POST', `/design-plan/${plan}/apply`, body))
      .body as SeriesChange;
    expect(warnings).toEqual([]);
    // This moves the Session with the homework by two days.
    const moved = await move(sessions[0]!.id!, '2027/03/05');
    expect(moved.body.warnings).toEqual([expect.objectContaining({ kind: 'AFTER_DUE', position: 1 })]);
  });

  describe('warns about the reminders of an unchanged Session', () => {
    /** Applies a plan whose first Session, on 2 March, has a homework reminder that is due on 7 March. */
    const applyToMarch = async (weeks: object[]) => {
      const first = { assignments: [buildAssignment(clinic.ownBookId, [6, '20:00'])] };
      const plan = await createPlan(app, clinic, { weeks: [first, ...weeks] });
      const body = { clientId: clinic.clientIds[0], date: '2027/03/02', time: '10:00' };
      const { sessions } = (await asCareProvider('POST', `/design-plan/${plan}/apply`, body)).body as SeriesChange;
      return sessions.map(({ id }) => id!);
    };
    const late = (date: string, position = 1) => ({
      kind: 'AFTER_DUE',
      detail: `A homework reminder is due after ${date}, the date of the next Session. It is not sent.`,
      ...{ position, bookId: clinic.ownBookId },
    });

    it('when the next one is moved before them, unless the Client has opted out of them', async () => {
      const [, next] = await applyToMarch([{}]);
      expect((await move(next!, '2027/03/07')).body.warnings).toEqual([]);
      expect((await move(next!, '2027/03/05')).body.warnings).toEqual([late('2027/03/05')]);
      await setPreference('CLIENT', { optedOut: ['HOMEWORK'] });
      expect((await move(next!, '2027/03/04')).body.warnings).toEqual([]);
    });

    it('when a cancelled Session that precedes them is restored', async () => {
      const [, second, third] = await applyToMarch([{}, {}]);
      await move(second!, '2027/03/04');
      expect((await asCareProvider('POST', `/session/${second}/cancel`, { reason: 'OTHER' })).status).toBe(200);
      expect((await move(third!, '2027/03/18')).body.warnings).toEqual([]);
      const restored = await asCareProvider('POST', `/session/${second}/undo`);
      expect(restored.body.warnings).toEqual([expect.objectContaining({ kind: 'OUT_OF_ORDER' }), late('2027/03/04')]);
    });

    it('which the change affects, and of no other', async () => {
      const [, second, , fourth] = await applyToMarch([
        {},
        { assignments: [buildAssignment(clinic.ownBookId, [6, '20:00'])] },
        {},
      ]);
      expect((await move(fourth!, '2027/03/19')).body.warnings).toEqual([late('2027/03/19', 3)]);
      expect((await move(second!, '2027/03/06')).body.warnings).toEqual([late('2027/03/06')]);
    });
  });
});
