import { Reminder } from '../src/reminder/index.js';
import { assignment, createPlan } from './support/apply.js';
import { World, type Answer, type ClinicFixture } from './support/world.js';

/* When reminders are sent, and whether, as it is planned: after moves, for records of the past, after a hand-over. */

const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';

let world: World;
let clinic: ClinicFixture;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.clock.set('2027-03-01T09:00:00Z');
  world.delivered.length = 0;
  clinic = await world.clinic();
});

const asCareProvider = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
  world.call(method, `${CAREGIVER}${path}`, { token: clinic.careProviderToken, body, headers });
const reminders = (where: object = {}) =>
  world.database((em) => em.find(Reminder, { clinicId: clinic.clinicId, ...where }, { orderBy: { id: 'asc' } }));
const states = async (where: object = {}) =>
  (await reminders(where)).map(({ status, reason, dueAt }) => [status, reason, dueAt.toString()]);

async function create(change: object): Promise<{ id: number; message: string }> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/02', time: '10:00', ...change };
  const answer = await asCareProvider('POST', '/session', body);
  expect(answer.status).toBe(201);
  const { message } = answer.body as { message: string };
  return { message, id: Number(/created: (\d+)/.exec(message)![1]) };
}

async function move(id: number, date: string, time = '10:00'): Promise<Answer> {
  const version = (await asCareProvider('GET', `/session/${id}`)).headers.get('etag')!;
  const answer = await asCareProvider('PATCH', `/session/${id}`, { date, time }, { 'if-match': version });
  expect(answer.status).toBe(200);
  return answer;
}

describe('a reminder that was sent', () => {
  it('is not sent again when its Session moves a day on and back', async () => {
    const { id } = await create({ reminders: ['-P1D'] });
    world.clock.set('2027-03-01T10:00:00Z');
    await world.deliverDue();
    expect(world.delivered).toHaveLength(2);
    await move(id, '2027/03/03');
    world.clock.advance({ minutes: 1 });
    await move(id, '2027/03/02');
    await world.deliverDue();
    expect(world.delivered).toHaveLength(2);
    expect(await states({ status: 'WITHDRAWN' })).toEqual(
      Array(2).fill(['WITHDRAWN', 'ALREADY_SENT', '2027-03-01T10:00:00Z']),
    );
    // At another time it is.
    await move(id, '2027/03/04');
    world.clock.set('2027-03-03T10:00:00Z');
    await world.deliverDue();
    expect(world.delivered).toHaveLength(4);
  });
});

describe('a record that is entered or corrected afterwards', () => {
  it('reminds nobody of what was before, and the answer says so', async () => {
    const { message } = await create({ date: '2027/02/22', reminders: ['-P1D', 'P1D', 'P14D'], remindDays: 0 });
    expect(message).toContain('REMINDER_IN_THE_PAST: A reminder was due more than 15 minutes before now');
    await world.deliverDue();
    // What counts from the creation is due now; the other is to come.
    expect(await states({ recipientKind: 'CLIENT' })).toEqual([
      ['SENT', null, '2027-03-01T09:00:00Z'],
      ['SKIPPED', 'PAST_WHEN_PLANNED', '2027-02-21T10:00:00Z'],
      ['SKIPPED', 'PAST_WHEN_PLANNED', '2027-02-23T10:00:00Z'],
      ['PENDING', null, '2027-03-08T10:00:00Z'],
    ]);
    expect(world.delivered.map(({ late }) => late)).toEqual([false, false]);
  });

  it('moved into the past: reminds nobody, warns, and reminds again where it comes back', async () => {
    const { id } = await create({ reminders: ['-P1D'] });
    const answer = await move(id, '2027/02/22');
    expect(answer.body.warnings).toEqual(
      Array(2).fill(expect.objectContaining({ kind: 'REMINDER_IN_THE_PAST', position: 1 })),
    );
    await world.deliverDue();
    expect(await states()).toEqual(Array(2).fill(['SKIPPED', 'PAST_WHEN_PLANNED', '2027-02-21T10:00:00Z']));
    await move(id, '2027/03/05');
    expect(await states()).toEqual(Array(2).fill(['PENDING', null, '2027-03-04T10:00:00Z']));
  });

  it('within a quarter of an hour is reminded of, unless the Session has begun', async () => {
    await create({ date: '2027/03/01', time: '09:40', reminders: ['-PT45M'] });
    await create({ date: '2027/03/01', time: '08:58', reminders: ['-PT5M'] });
    await world.deliverDue();
    expect((await reminders()).map(({ status, reason }) => [status, reason])).toEqual([
      ...Array<unknown>(2).fill(['SENT', null]),
      ...Array<unknown>(2).fill(['SKIPPED', 'PAST_WHEN_PLANNED']),
    ]);
  });

  it('and what should have been sent before a Session is not, once it has begun', async () => {
    await create({ date: '2027/03/01', time: '10:00', reminders: ['-PT30M', 'PT0S'] });
    world.clock.set('2027-03-01T10:00:01Z');
    await world.deliverDue();
    expect((await reminders({ recipientKind: 'CLIENT' })).map(({ status, reason }) => [status, reason])).toEqual([
      ['SKIPPED', 'SESSION_STARTED'],
      ['SENT', null],
    ]);
  });
});

it('a Session that is completed keeps the reminders of remindDays whose day is ahead', async () => {
  const { id } = await create({ date: '2027/03/02', reminders: ['-PT1H', 'P1D'], remindDays: 5 });
  world.clock.set('2027-03-02T11:00:00Z');
  expect((await asCareProvider('POST', `/session/${id}/complete`)).status).toBe(200);
  expect(await states({ recipientKind: 'CARE_PROVIDER' })).toEqual([
    ['PENDING', null, '2027-03-06T09:00:00Z'],
    ['WITHDRAWN', 'SESSION_OVER', '2027-03-02T09:00:00Z'],
    ['PENDING', null, '2027-03-03T10:00:00Z'],
  ]);
});

it('a hand-over stands in the history of every reminder that it changes', async () => {
  const plan = await createPlan(world, clinic, {
    weeks: [{ assignments: [assignment(clinic.ownBookId, [2, '20:00'])] }],
  });
  const body = { clientId: clinic.clientIds[0], date: '2027/03/02', time: '10:00', reminders: ['-PT1H'] };
  expect((await asCareProvider('POST', `/design-plan/${plan}/apply`, body)).status).toBe(201);
  const [from, to] = clinic.careProviderIds;
  const path = `${CLINIC}/care-provider/${from}/reassign`;
  const answer = await world.call('POST', path, { token: clinic.clinicToken, body: { toCareProviderId: to } });
  expect(answer.status).toBe(200);
  const told = (await reminders()).map(({ recipientKind, recipientId, story }) => [recipientKind, recipientId, story]);
  const story = [
    { at: '2027-03-01T09:00:00.000Z', what: 'HANDED_OVER', fromCareProviderId: from, toCareProviderId: to },
  ];
  expect(told).toEqual([
    ['CLIENT', clinic.clientIds[0], story],
    ['CARE_PROVIDER', to, story],
    ['CLIENT', clinic.clientIds[0], story],
  ]);
  const [first] = await reminders();
  const read = await world.call('GET', `${CLINIC}/reminder/${first!.id}`, { token: clinic.clinicToken });
  expect(read.body.story).toEqual([expect.objectContaining({ what: 'PLANNED' }), ...story]);
});
