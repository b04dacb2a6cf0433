import type { SeriesChange } from '../../src/session/scheduling/dto/series-change.js';
import {
  countSeriesRecords,
  createBook,
  createPlan,
  buildEightWeeks,
  loadSeriesRecords,
  describeWarnings,
  maskIds,
} from '../support/app/series-fixtures.js';
import { TestApp } from '../support/app/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

type Case = { clinicZone: string; clientZone: string | null; first: string; warnings: string[]; weeks: string[] };

/**
 * Each line contains the start of a week's Session and, after `|`, its six homework reminders, in UTC in 2027. They
 * were computed with an independent implementation of the time zone rules, Python's zoneinfo (fold=0).
 */
const TABLE: Case[] = [
  {
    clinicZone: 'Europe/London',
    clientZone: null,
    first: '2027/02/28 01:30',
    warnings: ['TIME_SKIPPED 5', 'DAYLIGHT_SAVING_SHIFT 5'],
    weeks: [
      '02-28 01:30 | 02-28 01:30 03-01 07:00 03-02 12:15 03-03 20:00 03-04 23:45 03-06 02:30',
      '03-07 01:30 | 03-07 01:30 03-08 07:00 03-09 12:15 03-10 20:00 03-11 23:45 03-13 02:30',
      '03-14 01:30 | 03-14 01:30 03-15 07:00 03-16 12:15 03-17 20:00 03-18 23:45 03-20 02:30',
      '03-21 01:30 | 03-21 01:30 03-22 07:00 03-23 12:15 03-24 20:00 03-25 23:45 03-27 02:30',
      '03-28 01:30 | 03-28 01:30 03-29 06:00 03-30 11:15 03-31 19:00 04-01 22:45 04-03 01:30',
      '04-04 00:30 | 04-04 00:30 04-05 06:00 04-06 11:15 04-07 19:00 04-08 22:45 04-10 01:30',
      '04-11 00:30 | 04-11 00:30 04-12 06:00 04-13 11:15 04-14 19:00 04-15 22:45 04-17 01:30',
      '04-18 00:30 | 04-18 00:30 04-19 06:00 04-20 11:15 04-21 19:00 04-22 22:45 04-24 01:30',
    ],
  },
  {
    clinicZone: 'Europe/London',
    clientZone: 'Australia/Sydney',
    first: '2027/02/28 01:30',
    warnings: ['TIME_SKIPPED 5', 'DAYLIGHT_SAVING_SHIFT 5'],
    weeks: [
      '02-28 01:30 | 02-27 14:30 02-28 20:00 03-02 01:15 03-03 09:00 03-04 12:45 03-05 15:30',
      '03-07 01:30 | 03-06 14:30 03-07 20:00 03-09 01:15 03-10 09:00 03-11 12:45 03-12 15:30',
      '03-14 01:30 | 03-13 14:30 03-14 20:00 03-16 01:15 03-17 09:00 03-18 12:45 03-19 15:30',
      '03-21 01:30 | 03-20 14:30 03-21 20:00 03-23 01:15 03-24 09:00 03-25 12:45 03-26 15:30',
      '03-28 01:30 | 03-27 14:30 03-28 20:00 03-30 01:15 03-31 09:00 04-01 12:45 04-02 15:30',
      '04-04 00:30 | 04-03 14:30 04-04 21:00 04-06 02:15 04-07 10:00 04-08 13:45 04-09 16:30',
      '04-11 00:30 | 04-10 15:30 04-11 21:00 04-13 02:15 04-14 10:00 04-15 13:45 04-16 16:30',
      '04-18 00:30 | 04-17 15:30 04-18 21:00 04-20 02:15 04-21 10:00 04-22 13:45 04-23 16:30',
    ],
  },
  {
    clinicZone: 'Europe/London',
    clientZone: null,
    first: '2027/10/10 01:30',
    warnings: ['DAYLIGHT_SAVING_SHIFT 5'],
    weeks: [
      '10-10 00:30 | 10-10 00:30 10-11 06:00 10-12 11:15 10-13 19:00 10-14 22:45 10-16 01:30',
      '10-17 00:30 | 10-17 00:30 10-18 06:00 10-19 11:15 10-20 19:00 10-21 22:45 10-23 01:30',
      '10-24 00:30 | 10-24 00:30 10-25 06:00 10-26 11:15 10-27 19:00 10-28 22:45 10-30 01:30',
      '10-31 00:30 | 10-31 00:30 11-01 07:00 11-02 12:15 11-03 20:00 11-04 23:45 11-06 02:30',
      '11-07 01:30 | 11-07 01:30 11-08 07:00 11-09 12:15 11-10 20:00 11-11 23:45 11-13 02:30',
      '11-14 01:30 | 11-14 01:30 11-15 07:00 11-16 12:15 11-17 20:00 11-18 23:45 11-20 02:30',
      '11-21 01:30 | 11-21 01:30 11-22 07:00 11-23 12:15 11-24 20:00 11-25 23:45 11-27 02:30',
      '11-28 01:30 | 11-28 01:30 11-29 07:00 11-30 12:15 12-01 20:00 12-02 23:45 12-04 02:30',
    ],
  },
  {
    clinicZone: 'Europe/London',
    clientZone: 'Asia/Kolkata',
    first: '2027/10/10 01:30',
    warnings: ['DAYLIGHT_SAVING_SHIFT 5'],
    weeks: [
      '10-10 00:30 | 10-09 20:00 10-11 01:30 10-12 06:45 10-13 14:30 10-14 18:15 10-15 21:00',
      '10-17 00:30 | 10-16 20:00 10-18 01:30 10-19 06:45 10-20 14:30 10-21 18:15 10-22 21:00',
      '10-24 00:30 | 10-23 20:00 10-25 01:30 10-26 06:45 10-27 14:30 10-28 18:15 10-29 21:00',
      '10-31 00:30 | 10-30 20:00 11-01 01:30 11-02 06:45 11-03 14:30 11-04 18:15 11-05 21:00',
      '11-07 01:30 | 11-06 20:00 11-08 01:30 11-09 06:45 11-10 14:30 11-11 18:15 11-12 21:00',
      '11-14 01:30 | 11-13 20:00 11-15 01:30 11-16 06:45 11-17 14:30 11-18 18:15 11-19 21:00',
      '11-21 01:30 | 11-20 20:00 11-22 01:30 11-23 06:45 11-24 14:30 11-25 18:15 11-26 21:00',
      '11-28 01:30 | 11-27 20:00 11-29 01:30 11-30 06:45 12-01 14:30 12-02 18:15 12-03 21:00',
    ],
  },
  {
    clinicZone: 'America/Los_Angeles',
    clientZone: null,
    first: '2027/02/22 18:30',
    warnings: ['DAYLIGHT_SAVING_SHIFT 4'],
    weeks: [
      '02-23 02:30 | 02-22 09:30 02-23 15:00 02-24 20:15 02-26 04:00 02-27 07:45 02-28 10:30',
      '03-02 02:30 | 03-01 09:30 03-02 15:00 03-03 20:15 03-05 04:00 03-06 07:45 03-07 10:30',
      '03-09 02:30 | 03-08 09:30 03-09 15:00 03-10 20:15 03-12 04:00 03-13 07:45 03-14 10:30',
      '03-16 01:30 | 03-15 08:30 03-16 14:00 03-17 19:15 03-19 03:00 03-20 06:45 03-21 09:30',
      '03-23 01:30 | 03-22 08:30 03-23 14:00 03-24 19:15 03-26 03:00 03-27 06:45 03-28 09:30',
      '03-30 01:30 | 03-29 08:30 03-30 14:00 03-31 19:15 04-02 03:00 04-03 06:45 04-04 09:30',
      '04-06 01:30 | 04-05 08:30 04-06 14:00 04-07 19:15 04-09 03:00 04-10 06:45 04-11 09:30',
      '04-13 01:30 | 04-12 08:30 04-13 14:00 04-14 19:15 04-16 03:00 04-17 06:45 04-18 09:30',
    ],
  },
  {
    clinicZone: 'America/Los_Angeles',
    clientZone: 'Asia/Kolkata',
    first: '2027/02/22 18:30',
    warnings: ['DAYLIGHT_SAVING_SHIFT 4'],
    weeks: [
      '02-23 02:30 | 02-21 20:00 02-23 01:30 02-24 06:45 02-25 14:30 02-26 18:15 02-27 21:00',
      '03-02 02:30 | 02-28 20:00 03-02 01:30 03-03 06:45 03-04 14:30 03-05 18:15 03-06 21:00',
      '03-09 02:30 | 03-07 20:00 03-09 01:30 03-10 06:45 03-11 14:30 03-12 18:15 03-13 21:00',
      '03-16 01:30 | 03-14 20:00 03-16 01:30 03-17 06:45 03-18 14:30 03-19 18:15 03-20 21:00',
      '03-23 01:30 | 03-21 20:00 03-23 01:30 03-24 06:45 03-25 14:30 03-26 18:15 03-27 21:00',
      '03-30 01:30 | 03-28 20:00 03-30 01:30 03-31 06:45 04-01 14:30 04-02 18:15 04-03 21:00',
      '04-06 01:30 | 04-04 20:00 04-06 01:30 04-07 06:45 04-08 14:30 04-09 18:15 04-10 21:00',
      '04-13 01:30 | 04-11 20:00 04-13 01:30 04-14 06:45 04-15 14:30 04-16 18:15 04-17 21:00',
    ],
  },
  {
    clinicZone: 'America/Los_Angeles',
    clientZone: null,
    first: '2027/10/18 18:30',
    warnings: ['DAYLIGHT_SAVING_SHIFT 4'],
    weeks: [
      '10-19 01:30 | 10-18 08:30 10-19 14:00 10-20 19:15 10-22 03:00 10-23 06:45 10-24 09:30',
      '10-26 01:30 | 10-25 08:30 10-26 14:00 10-27 19:15 10-29 03:00 10-30 06:45 10-31 09:30',
      '11-02 01:30 | 11-01 08:30 11-02 14:00 11-03 19:15 11-05 03:00 11-06 06:45 11-07 10:30',
      '11-09 02:30 | 11-08 09:30 11-09 15:00 11-10 20:15 11-12 04:00 11-13 07:45 11-14 10:30',
      '11-16 02:30 | 11-15 09:30 11-16 15:00 11-17 20:15 11-19 04:00 11-20 07:45 11-21 10:30',
      '11-23 02:30 | 11-22 09:30 11-23 15:00 11-24 20:15 11-26 04:00 11-27 07:45 11-28 10:30',
      '11-30 02:30 | 11-29 09:30 11-30 15:00 12-01 20:15 12-03 04:00 12-04 07:45 12-05 10:30',
      '12-07 02:30 | 12-06 09:30 12-07 15:00 12-08 20:15 12-10 04:00 12-11 07:45 12-12 10:30',
    ],
  },
  {
    clinicZone: 'America/Los_Angeles',
    clientZone: 'Australia/Sydney',
    first: '2027/10/18 18:30',
    warnings: ['DAYLIGHT_SAVING_SHIFT 4'],
    weeks: [
      '10-19 01:30 | 10-17 14:30 10-18 20:00 10-20 01:15 10-21 09:00 10-22 12:45 10-23 15:30',
      '10-26 01:30 | 10-24 14:30 10-25 20:00 10-27 01:15 10-28 09:00 10-29 12:45 10-30 15:30',
      '11-02 01:30 | 10-31 14:30 11-01 20:00 11-03 01:15 11-04 09:00 11-05 12:45 11-06 15:30',
      '11-09 02:30 | 11-07 14:30 11-08 20:00 11-10 01:15 11-11 09:00 11-12 12:45 11-13 15:30',
      '11-16 02:30 | 11-14 14:30 11-15 20:00 11-17 01:15 11-18 09:00 11-19 12:45 11-20 15:30',
      '11-23 02:30 | 11-21 14:30 11-22 20:00 11-24 01:15 11-25 09:00 11-26 12:45 11-27 15:30',
      '11-30 02:30 | 11-28 14:30 11-29 20:00 12-01 01:15 12-02 09:00 12-03 12:45 12-04 15:30',
      '12-07 02:30 | 12-05 14:30 12-06 20:00 12-08 01:15 12-09 09:00 12-10 12:45 12-11 15:30',
    ],
  },
];

it.each(TABLE)('8 weeks in $clinicZone from $first for a Client in $clientZone', async (row) => {
  const clinic = await app.createClinic(row.clinicZone);
  const books = [clinic.ownBookId, clinic.sharedBookId, await createBook(app, clinic)];
  const clientId = clinic.clientIds[0];
  if (row.clientZone !== null) {
    const change = { token: clinic.clinicToken, body: { timeZone: row.clientZone } };
    expect((await app.call('PATCH', `/gateway/profile/clinic/client/${clientId}`, change)).status).toBe(200);
  }
  const texts = { appointmentTitle: 'Sleep session', appointmentDesc: 'Diary' };
  const plan = await createPlan(app, clinic, { ...texts, weeks: buildEightWeeks(books) });
  const [date, time] = row.first.split(' ');
  const apply = (query: string) =>
    app.call('POST', `/gateway/profile/caregiver/design-plan/${plan}/apply${query}`, {
      token: clinic.careProviderToken,
      body: { clientId, date, time },
    });

  // The dry run writes nothing, and returns exactly what the real run then writes.
  const before = await countSeriesRecords(app);
  const dryRun = await apply('?dryRun=true');
  expect([dryRun.status, dryRun.headers.get('location')]).toEqual([200, null]);
  expect(await countSeriesRecords(app)).toEqual(before);
  const applied = await apply('');
  const answer = applied.body as SeriesChange;
  const location = `/gateway/profile/caregiver/series/${answer.seriesId!}`;
  expect([applied.status, applied.headers.get('location')]).toEqual([201, location]);
  expect(await countSeriesRecords(app)).toEqual([1, 8, 24, 48].map((more, index) => before[index]! + more));
  expect(maskIds(applied)).toBe(maskIds(dryRun));
  expect(dryRun.text).not.toMatch(/"id":\d|"seriesId":"/);
  expect(describeWarnings(applied)).toEqual(row.warnings);

  // The instants in the database must be those in the table.
  const { series, sessions, homework, reminders } = await loadSeriesRecords(app, clinic);
  const short = (instant: Temporal.Instant) => instant.toString().replace(/^2027-(.*)T(.*):00Z$/, '$1 $2');
  const homeworkOf = (sessionId: number) => homework.filter((item) => item.sessionId === sessionId);
  const remindersOf = (id: number) => reminders.filter(({ homeworkId }) => homeworkId === id);
  const weeks = sessions.map(({ id, startsAt }) => {
    const due = homeworkOf(id).flatMap((item) => remindersOf(item.id));
    return `${short(startsAt)} | ${due.map(({ dueAt }) => short(dueAt)).join(' ')}`;
  });
  expect(weeks).toEqual(row.weeks);
  sessions.forEach((session, index) => {
    expect(homeworkOf(session.id).map(({ bookId }) => bookId)).toEqual(books);
    expect(session).toMatchObject({
      ...{ title: 'Sleep session', description: 'Diary', plannedTime: time, timeZone: row.clinicZone },
      ...{ clientId, caregiverId: clinic.careProviderIds[0], designPlanId: plan, status: 'SCHEDULED' },
      ...{ position: index + 1, planWeek: index + 1, seriesId: answer.seriesId, durationMinutes: 50 },
    });
  });
  for (const reminder of reminders) {
    expect(reminder).toMatchObject({ recipientKind: 'CLIENT', recipientId: clientId, status: 'PENDING' });
  }
  expect(series).toMatchObject([{ id: answer.seriesId, designPlanId: plan, revision: 1, intervalDays: 7 }]);

  // The response must contain the same instants.
  const iso = (instant: Temporal.Instant) => instant.toString({ fractionalSecondDigits: 3 });
  const found = sessions.map(({ id, startsAt }) => [
    id,
    iso(startsAt),
    homeworkOf(id).map((item) => [item.bookId, remindersOf(item.id).map(({ dueAt }) => iso(dueAt))]),
  ]);
  const told = answer.sessions.map(({ id, startsAt, homework }) => [
    id,
    startsAt,
    homework.map((item) => [item.bookId, item.reminders.map(({ dueAt }) => dueAt)]),
  ]);
  expect(told).toEqual(found);
});
