import { Reminder } from '../../../src/reminder/index.js';
import { Homework, Session, SessionSeries } from '../../../src/session/index.js';
import type { SeriesChange } from '../../../src/session/scheduling/dto/series-change.js';
import type { TestResponse, ClinicFixture, TestApp } from './test-app.js';

const PLANS = '/gateway/profile/clinic/design-plan';

/** Reads the id from the `Location` header of a response. @throws Error if the status is not 201 */
export function readCreatedId(answer: TestResponse): number {
  if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`);
  return Number(answer.headers.get('location')!.split('/').at(-1));
}

export async function createBook(app: TestApp, { clinicToken: token }: ClinicFixture): Promise<number> {
  return readCreatedId(await app.call('POST', '/gateway/profile/clinic/book', { token, body: { title: 'B' } }));
}

export async function createPlan(app: TestApp, { clinicToken: token }: ClinicFixture, plan: object): Promise<number> {
  return readCreatedId(await app.call('POST', PLANS, { token, body: { planName: 'Sleep', ...plan } }));
}

export const buildAssignment = (bookId: number, ...reminds: [reminderDay: number, time: string][]) => ({
  bookId,
  assignReminds: reminds.map(([reminderDay, time]) => ({ reminderDay, time })),
});

/**
 * Builds eight weeks with three Books and six reminders each. Some reminders fall into an hour that a clock change
 * skips or repeats.
 */
export const buildEightWeeks = ([first, second, third]: readonly number[]) =>
  Array.from({ length: 8 }, (_, index) => ({
    name: `Week ${index + 1}`,
    ordering: index + 1,
    assignments: [
      buildAssignment(first!, [1, '01:30'], [2, '07:00']),
      buildAssignment(second!, [3, '12:15'], [4, '20:00']),
      buildAssignment(third!, [5, '23:45'], [7, '02:30']),
    ],
  }));

/** Reads all series, Sessions, homework and reminders of a Clinic from the database. */
export const loadSeriesRecords = (app: TestApp, { clinicId }: ClinicFixture) =>
  app.asSuperuser(async (em) => ({
    series: await em.find(SessionSeries, { clinicId }),
    sessions: await em.find(Session, { clinicId }, { orderBy: { seriesId: 'asc', position: 'asc' } }),
    homework: await em.find(Homework, { clinicId }, { orderBy: { id: 'asc' } }),
    reminders: await em.find(Reminder, { clinicId }, { orderBy: { id: 'asc' } }),
  }));

/** Counts the series, Sessions, homework and reminders of all Clinics. */
export const countSeriesRecords = (app: TestApp): Promise<number[]> =>
  app.asSuperuser(async (em) => [
    await em.count(SessionSeries),
    await em.count(Session),
    await em.count(Homework),
    await em.count(Reminder),
  ]);

/** Returns the body of a response as text in which all IDs are replaced with 0. */
export const maskIds = ({ text }: TestResponse): string =>
  text.replace(/"seriesId":("[^"]*"|null)/, '"seriesId":0').replaceAll(/"id":(\d+|null)/g, '"id":0');

/**
 * Formats warnings as `KIND position` or `KIND week planWeek bookId`. Omits BEFORE_SESSION, because every week of
 * `buildEightWeeks` causes it; `reminder-planning` tests it.
 */
export const describeWarnings = (answer: TestResponse): string[] =>
  (answer.body as SeriesChange).warnings
    .filter(({ kind }) => kind !== 'BEFORE_SESSION')
    .map(({ kind, position, planWeek, bookId }) =>
      [kind, position, planWeek === undefined ? undefined : `week ${planWeek}`, bookId]
        .filter((part) => part !== undefined)
        .join(' '),
    );
