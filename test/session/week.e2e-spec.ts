import { sql } from 'kysely';
import { Client, ClientAssignment } from '../../src/directory/index.js';
import { Homework } from '../../src/session/index.js';
import { TestApp, type ClinicFixture, type TestResponse } from '../support/app/test-app.js';

/* Tests the operation that reads the Sessions of a week with their details in one call. */

const PROFILE = '/gateway/profile';
const CLIENTS = 25;

type WeekSession = {
  id: number;
  client: { id: number; name: string };
  careProvider: { id: number; name: string };
  progress: { done: number; total: number };
  homework: { bookTitle: string }[];
  conflicts: { with: string; otherSessionId: number }[];
  remindersAhead: { recipientKind: string }[];
  localStart: { date: string; time: string; utcOffset: string };
  [member: string]: unknown;
};

let app: TestApp;
let clinic: ClinicFixture;
let clientToken: string;
beforeAll(async () => {
  app = await TestApp.start();
  clinic = await app.createClinic();
  clientToken = await app.createToken('CLIENT', clinic.clientIds[0]);
});
afterAll(() => app.stop());

const read = (role: string, query: string, token: string) =>
  app.call('GET', `${PROFILE}/${role}/week${query}`, { token });
const sessionsOf = ({ status, body }: TestResponse): WeekSession[] => {
  expect(status).toBe(200);
  return body.sessions as WeekSession[];
};

async function createSession(change: object, token = clinic.careProviderToken): Promise<number> {
  const body = { clientId: clinic.clientIds[0], title: 'T', time: '10:00', reminders: ['-P1D'], ...change };
  const answer = await app.call('POST', `${PROFILE}/caregiver/session`, { token, body });
  expect(answer.status).toBe(201);
  const [newest] = await app.queryRows(sql<{ id: string }>`select max(id) as id from session`);
  return Number(newest!.id);
}

it('returns a week with 25 Clients, with names, progress, overlaps and reminders, in one call', async () => {
  const { clinicId, careProviderIds, ownBookId, sharedBookId } = clinic;
  const clientIds = await app.asSuperuser(async (em) => {
    const clients = Array.from(
      { length: CLIENTS },
      (_, index) => new Client(clinicId, { name: `Client ${index}` }, app.clock.now()),
    );
    await em.persist(clients).flush();
    const ids = clients.map(({ id }) => id);
    await em.persist(ids.map((id) => new ClientAssignment(clinicId, id, careProviderIds[0], app.clock.now()))).flush();
    return ids;
  });
  for (const [index, clientId] of clientIds.entries()) {
    // Two Clients have the same time on Friday evening.
    const [day, time] = [5 + (index % 5), `${String(9 + Math.min(Math.floor(index / 5), 3)).padStart(2, '0')}:00`];
    await createSession({ clientId, date: `2027/07/0${day}`, time, bookIdList: [ownBookId, sharedBookId] });
  }
  await app.asSuperuser((em) =>
    em.nativeUpdate(Homework, { bookId: ownBookId, clinicId }, { completedAt: app.clock.now() }),
  );

  const answer = await read('caregiver', '?from=2027-07-05', clinic.careProviderToken);
  const sessions = sessionsOf(answer);
  expect(answer.headers.get('cache-control')).toContain('no-store');
  expect(answer.body).toMatchObject({
    ...{ timeZone: 'Europe/London', isTruncated: false },
    ...{ startsAt: '2027-07-04T23:00:00.000Z', endsAt: '2027-07-11T23:00:00.000Z' },
  });
  expect((answer.body.days as { date: string }[]).map(({ date }) => date.slice(-2))).toEqual([
    '05',
    '06',
    '07',
    '08',
    '09',
    '10',
    '11',
  ]);
  expect(sessions.map(({ client }) => client.name).toSorted()).toEqual(
    clientIds.map((_, index) => `Client ${index}`).toSorted(),
  );
  for (const session of sessions) {
    expect(session).toMatchObject({
      ...{ careProvider: { id: careProviderIds[0], name: 'One' }, progress: { done: 1, total: 2 }, version: 1 },
      ...{ title: 'T', status: 'SCHEDULED', homework: [{ bookTitle: 'Own' }, { bookTitle: 'Shared' }] },
    });
    expect(session.remindersAhead.map(({ recipientKind }) => recipientKind)).toEqual(['CLIENT', 'CARE_PROVIDER']);
  }
  const atTwelve = sessions.filter(({ localStart }) => localStart.time === '12:00');
  expect(atTwelve).toHaveLength(10);
  for (const { id, localStart, conflicts } of atTwelve) {
    const other = atTwelve.find((session) => session.id !== id && session.localStart.date === localStart.date)!;
    expect(conflicts).toMatchObject([{ with: 'CARE_PROVIDER', otherSessionId: other.id }]);
  }
  expect(sessions.filter(({ conflicts }) => conflicts.length > 0)).toHaveLength(10);

  const [entry] = await app.queryRows(sql<{ records: string[] }>`
    select records from audit_entry where operation = 'GET /gateway/profile/caregiver/week' order by id desc limit 1`);
  for (const id of clientIds) expect(entry!.records).toContain(`client/${id}`);
  for (const { id } of sessions) expect(entry!.records).toContain(`session/${id}`);
  expect(JSON.stringify(entry)).not.toContain('Client 1');
});

it.each([
  ['Europe/London', '2027/03/27', '2027/03/28', '2027-03-22', '2027-03-28T23:00:00.000Z', ['+00:00', '+01:00']],
  ['America/Los_Angeles', '2027/03/13', '2027/03/14', '2027-03-08', '2027-03-15T07:00:00.000Z', ['-08:00', '-07:00']],
])(
  'shows local times of both sides of the clock change in %s',
  async (timeZone, before, after, from, endsAt, offsets) => {
    const own = await app.createClinic(timeZone);
    for (const date of [before, after])
      await createSession({ clientId: own.clientIds[0], date, time: '23:30' }, own.careProviderToken);
    // This Session starts in the last minute of the week.
    await createSession({ clientId: own.clientIds[0], date: after, time: '23:59' }, own.careProviderToken);
    // The next Session starts in the first minute of the Monday after the week, so the week does not contain it.
    const monday = Temporal.PlainDate.from(from).add({ days: 7 }).toString().replaceAll('-', '/');
    await createSession({ clientId: own.clientIds[0], date: monday, time: '00:00' }, own.careProviderToken);
    const answer = await read('clinic', `?from=${from}`, own.clinicToken);
    expect(answer.body.endsAt).toBe(endsAt);
    expect(sessionsOf(answer).map(({ localStart }) => localStart)).toEqual([
      { date: before, time: '23:30', utcOffset: offsets[0] },
      { date: after, time: '23:30', utcOffset: offsets[1] },
      { date: after, time: '23:59', utcOffset: offsets[1] },
    ]);
    const elsewhere = sessionsOf(await read('clinic', `?from=${from}&timeZone=Asia/Kolkata`, own.clinicToken));
    expect(elsewhere.every(({ localStart }) => localStart.utcOffset === '+05:30')).toBe(true);
  },
);

it('shows only what the caller may see, and names of no other Clinic', async () => {
  const { careProviderIds, clientIds } = clinic;
  const colleague = await app.createToken('CARE_PROVIDER', careProviderIds[1]);
  const week = '?from=2028-01-03';
  const own = await createSession({ date: '2028/01/04' });
  const ofColleague = await createSession({ clientId: clientIds[2], date: '2028/01/05' }, colleague);
  const idsOf = async (role: string, query: string, token: string) =>
    sessionsOf(await read(role, query, token)).map(({ id }) => id);
  expect(await idsOf('caregiver', week, clinic.careProviderToken)).toEqual([own]);
  expect(await idsOf('caregiver', week, colleague)).toEqual([ofColleague]);
  expect(await idsOf('clinic', week, clinic.clinicToken)).toEqual([own, ofColleague]);
  const filter = (...ids: number[]) => `${week}&caregiverId=${ids.join(',')}`;
  expect(await idsOf('clinic', filter(careProviderIds[1]), clinic.clinicToken)).toEqual([ofColleague]);
  expect(await idsOf('clinic', filter(...careProviderIds), clinic.clinicToken)).toEqual([own, ofColleague]);
  const other = await app.createClinic();
  expect(await idsOf('clinic', filter(...careProviderIds), other.clinicToken)).toEqual([]);
  expect(await idsOf('caregiver', week, other.careProviderToken)).toEqual([]);
  // Once the Client is no longer assigned, the Care Provider does not see the Client's Session with a colleague, nor
  // the Client's name.
  await app.asSuperuser((em) => em.nativeDelete(ClientAssignment, { clientId: clientIds[2] }));
  expect(await idsOf('caregiver', week, colleague)).toEqual([ofColleague]);
  const second = await createSession({ caregiverId: careProviderIds[1], date: '2028/01/06' });
  expect(await idsOf('caregiver', week, clinic.careProviderToken)).toEqual([own, second]);
  // A Care Provider sees the Session of a colleague, but not its reminders.
  const reminderCounts = async (role: string, token: string) =>
    sessionsOf(await read(role, week, token)).map(({ remindersAhead }) => remindersAhead.length);
  expect(await reminderCounts('caregiver', clinic.careProviderToken)).toEqual([2, 0]);
  expect(await reminderCounts('clinic', clinic.clinicToken)).toEqual([2, 2, 2]);
  await app.asSuperuser((em) => em.nativeDelete(ClientAssignment, { clientId: clientIds[0] }));
  expect(await idsOf('caregiver', week, clinic.careProviderToken)).toEqual([own]);
  await app.asSuperuser((em) =>
    em.persist(new ClientAssignment(clinic.clinicId, clientIds[0], careProviderIds[0], app.clock.now())).flush(),
  );

  const mine = await read('client', week, clientToken);
  expect(sessionsOf(mine).map(({ careProvider }) => careProvider.name)).toEqual(['One', 'Two']);
  for (const session of sessionsOf(mine)) {
    expect(session.remindersAhead.map(({ recipientKind }) => recipientKind)).toEqual(['CLIENT']);
    expect(session).not.toHaveProperty('conflicts');
  }
  const another = await app.createToken('CLIENT', clientIds[1]);
  expect(sessionsOf(await read('client', week, another))).toEqual([]);
});

it("uses the Client's own time zone, and the Monday of the current week", async () => {
  await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clinic.clientIds[0] }, { timeZone: 'Asia/Tokyo' }));
  const { body } = await read('client', '', clientToken);
  expect(body.timeZone).toBe('Asia/Tokyo');
  const today = app.clock.now().toZonedDateTimeISO('Asia/Tokyo').toPlainDate();
  const monday = today
    .subtract({ days: today.dayOfWeek - 1 })
    .toString()
    .replaceAll('-', '/');
  expect(body.days[0].date).toBe(monday);
  expect((await read('client', '?timeZone=UTC', clientToken)).body.timeZone).toBe('UTC');
});

it('refuses a call without a token, other roles and deactivated callers', async () => {
  const admin = await app.createToken('ADMIN');
  for (const role of ['caregiver', 'clinic', 'client']) {
    expect((await app.call('GET', `${PROFILE}/${role}/week`)).status).toBe(401);
    expect((await read(role, '', admin)).status).toBe(403);
  }
  expect((await read('clinic', '', clinic.careProviderToken)).status).toBe(403);
  const gone = await app.createClinic();
  await app.asSuperuser((em) => em.nativeUpdate(Client, { id: gone.clientIds[0] }, { active: false }));
  expect((await read('client', '', await app.createToken('CLIENT', gone.clientIds[0]))).status).toBe(403);
});

it.each([
  ['from=2027/07/05', 'from'],
  ['from=2027-02-30', 'from'],
  ['from=9999-12-28', 'from'],
  ['from=0000-12-31', 'from'],
  ['from=-271821-04-20', 'from'],
  ['timeZone=Mars/Base', 'timeZone'],
  ['timeZone=%2B05:30', 'timeZone'],
  ['caregiverId=1,x', 'caregiverId'],
  ['caregiverId=', 'caregiverId'],
  ['form=2027-07-05', 'form'],
])('refuses %s', async (query, parameter) => {
  const { status, body } = await read('clinic', `?${query}`, clinic.clinicToken);
  expect([status, body.errors[0].pointer]).toEqual([400, `/${parameter}`]);
});
