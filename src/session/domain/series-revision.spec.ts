import type { PlanContent, PlanWeek } from '../../design-plan/index.js';
import { reviseSchedule } from './series-revision.js';
import {
  assertWeeksNotReplaced,
  computeUndoPlacements,
  findOutOfOrderWarnings,
  requireRestorableTime,
} from './restored-placement.js';
import { compareByStart } from './series-order.js';
import { createSessionSlot } from './series-slots.js';
import { SessionSeries } from './session-series.entity.js';
import { Session } from './session.entity.js';

/*
 * Each Session is written as a day in January 2027: `4` is upcoming on the 4th, `4!` is completed, `4x` is cancelled,
 * and `4-` was removed by a revision.
 */

const NOW = Temporal.Instant.from('2027-01-01T00:00:00Z');
const AT = '09:30';
type Days = Record<number, string>;

function createLockedSeries(weeks: Days, today: string, paused = false) {
  const series = new SessionSeries(
    { id: 'S', clinicId: 1, caregiverId: 1, intervalDays: 7, revision: 1, reminders: [] },
    NOW,
  );
  const now = Temporal.Instant.from(`2027-01-${today}T12:00:00Z`);
  const members = Object.entries(weeks).map(([week, day], index) => memberOf(Number(week), day, index + 1));
  if (paused) for (const member of members.filter(({ status }) => status === 'SCHEDULED')) member.pause(NOW);
  if (paused) series.pause(NOW);
  return { series, members: members.sort(compareByStart), now };
}

function memberOf(planWeek: number, day: string, position: number): Session {
  const data = { seriesId: 'S', clinicId: 1, caregiverId: 1, clientId: 1, title: 'T' };
  const date = Temporal.PlainDate.from({ year: 2027, month: 1, day: 1 }).add({ days: parseInt(day) - 1 });
  const session = new Session(data, { position, planWeek }, createSessionSlot(date.toPlainDateTime(AT), 'UTC'), NOW);
  if (day.endsWith('!')) session.complete(Temporal.Instant.from('2028-01-01T00:00:00Z'));
  if (day.endsWith('x')) session.cancel({ reason: 'ILLNESS' }, NOW);
  if (day.endsWith('-')) session.cancel({ reason: 'PLAN_CHANGED' }, NOW);
  return session;
}

const dayOf = ({ planned }: Pick<Session, 'planned'>) =>
  Temporal.PlainDate.from('2027-01-01').until(planned.toPlainDate(), { largestUnit: 'days' }).days + 1;

const CONTENT = { name: 'P', appointmentTitle: 'T', appointmentDesc: null, weeks: [] } as unknown as PlanContent;
const weeksOf = (orderings: number[]): PlanWeek[] =>
  orderings.map((ordering) => ({ ordering, name: 'W', assignments: [] }));

it('a revision replaces the texts that came from the plan, and keeps those that were edited', () => {
  const before = { ...CONTENT, appointmentTitle: ' T ', appointmentDesc: 'old' } as PlanContent;
  const after = { ...CONTENT, appointmentTitle: 'N\n', appointmentDesc: 'new' } as PlanContent;
  const locked = createLockedSeries({ 1: '4', 2: '11', 3: '18' }, '01');
  const [own, edited, ofEarlierRelease] = locked.members as [Session, Session, Session];
  own.updateDetails({ description: 'old' }, NOW);
  edited.updateDetails({ title: 'Edited', description: 'edited' }, NOW);
  ofEarlierRelease.updateDetails({ title: ' T ' }, NOW);
  reviseSchedule(locked, weeksOf([1, 2, 3]), before, after);
  expect(locked.members.map(({ title, description }) => [title, description])).toEqual([
    ['N', 'new'],
    ['Edited', 'edited'],
    ['N', null],
  ]);
});

describe('a revision', () => {
  it.each<
    [what: string, before: Days, today: string, weeks: number[], after: Record<number, number>, missed: number[]]
  >([
    ['that changes no week moves nothing', { 1: '4', 2: '11', 3: '18' }, '01', [1, 2, 3], { 1: 4, 2: 11, 3: 18 }, []],
    [
      'leaves a Session where it was moved',
      { 1: '20', 2: '11!', 3: '18', 4: '25' },
      '14',
      [1, 2, 3, 4],
      { 1: 20, 3: 18, 4: 25 },
      [],
    ],
    [
      'puts a week between',
      { 10: '4', 20: '11', 30: '18' },
      '01',
      [10, 15, 20, 30],
      { 10: 4, 15: 11, 20: 18, 30: 25 },
      [],
    ],
    [
      'puts it behind the one before it',
      { 1: '4', 2: '11', 4: '6' },
      '01',
      [1, 2, 3, 4],
      { 1: 4, 4: 6, 2: 11, 3: 18 },
      [],
    ],
    ['closes up where a week goes', { 1: '4', 2: '11', 3: '18' }, '01', [1, 3], { 1: 4, 3: 11 }, []],
    ['leaves a week out that is over', { 10: '4!', 20: '11!', 30: '18' }, '14', [10, 15, 20, 30], { 30: 18 }, [15]],
    ['keeps a cancelled week so', { 1: '4', 2: '11x', 3: '18' }, '01', [1, 2, 3, 4], { 1: 4, 3: 18, 4: 25 }, []],
    [
      'takes the day of a last week that is cancelled',
      { 1: '4', 2: '11', 3: '18x' },
      '01',
      [1, 2, 3, 4],
      { 1: 4, 2: 11, 4: 18 },
      [],
    ],
    [
      'goes on behind what has happened',
      { 1: '4!', 2: '11!', 3: '18-', 4: '25-' },
      '14',
      [1, 2, 3, 4],
      { 3: 18, 4: 25 },
      [],
    ],
    ['begins anew where it began', { 1: '4-', 2: '11-' }, '01', [1, 2], { 1: 4, 2: 11 }, []],
    ['after a pause of weeks, at the next day that is ahead', { 1: '4!' }, '20', [1, 2], { 2: 25 }, []],
  ])('%s', (_what, before, today, weeks, after, missed) => {
    const locked = createLockedSeries(before, today);
    const { kept, added, warnings } = reviseSchedule(locked, weeksOf(weeks), CONTENT, CONTENT);
    const days = [...kept, ...added].map(({ week, session }) => [week.ordering, dayOf(session)]);
    expect(Object.fromEntries(days)).toEqual(after);
    expect(warnings.map(({ planWeek }) => planWeek)).toEqual(missed);
    // Adding a week renumbers all Sessions in order of start.
    const all = [...locked.members, ...added.map(({ session }) => session)].sort(compareByStart);
    if (added.length > 0) expect(all.map(({ position }) => position)).toEqual(all.map((_, index) => index + 1));
  });

  it('of a paused series continues at its interval, even in the past', () => {
    const locked = createLockedSeries({ 1: '4', 2: '11' }, '20', true);
    const { added } = reviseSchedule(locked, weeksOf([1, 2, 3]), CONTENT, CONTENT);
    expect(added.map(({ session }) => [dayOf(session), session.status])).toEqual([[18, 'PAUSED']]);
  });
});

describe('the time of a cancelled week', () => {
  it.each<
    [what: string, weeks: Days, today: string, week: number, place: number | 'taken' | 'passed', isWarned: boolean]
  >([
    ['where nothing has moved', { 1: '4', 2: '11', 3: '18x', 4: '25' }, '01', 3, 18, false],
    ['after a shift of all', { 1: '6', 2: '13', 3: '18x', 4: '27' }, '01', 3, 20, true],
    ['after a shift of what was ahead', { 1: '4!', 2: '11!', 3: '18x', 4: '27' }, '14', 3, 20, true],
    ['before a week that was left out', { 1: '4', 2: '11', 3: '18x', 4: '32' }, '01', 3, 18, false],
    ['beside one that was moved on its own', { 1: '4', 2: '13', 3: '18x', 4: '25' }, '01', 3, 18, false],
    ['of several that are cancelled', { 1: '6', 2: '11x', 3: '18x', 4: '27' }, '01', 3, 20, true],
    ['with a week between that a revision took out', { 1: '6', 2: '11-', 3: '18x' }, '01', 3, 13, true],
    ['of the first', { 1: '4x', 2: '13', 3: '20' }, '01', 1, 6, true],
    ['of the last', { 1: '6', 2: '13', 3: '18x' }, '01', 3, 20, true],
    ['with nothing ahead', { 1: '4!', 2: '11x' }, '20', 2, 11, false],
    ['that another has taken', { 1: '4', 2: '11-', 3: '11' }, '01', 2, 'taken', true],
    ['that has passed', { 2: '11!', 3: '18x', 4: '13' }, '12', 3, 'passed', true],
  ])('%s', (_what, weeks, today, week, place, isWarned) => {
    const locked = createLockedSeries(weeks, today);
    const session = locked.members.find(({ planWeek }) => planWeek === week)!;
    const places = computeUndoPlacements([session], locked);
    expect(findOutOfOrderWarnings(session, places.get(session)!).map(({ kind }) => kind)).toEqual(
      isWarned ? ['OUT_OF_ORDER'] : [],
    );
    const put = () => requireRestorableTime(session, places, locked);
    if (typeof place === 'string') expect(put).toThrow(place);
    else expect(dayOf({ planned: put() ?? session.planned })).toBe(place);
  });
});

it.each<[what: string, hoursToMove: number, place: number]>([
  ['its own if its only neighbour moved alone before the cancellation', -1, 11],
  ['behind its only neighbour if that moved after the cancellation', 1, 13],
])('the time of a cancelled week is %s', (_what, hoursToMove, place) => {
  const locked = createLockedSeries({ 1: '4', 2: '11' }, '03');
  const [neighbour, session] = locked.members as [Session, Session];
  neighbour.reschedule(neighbour.planned.add({ days: 2 }), locked.now.add({ hours: hoursToMove }));
  session.cancel({ reason: 'ILLNESS' }, locked.now);
  const places = computeUndoPlacements([session], locked);
  expect(dayOf({ planned: requireRestorableTime(session, places, locked)! })).toBe(place);
  expect(findOutOfOrderWarnings(session, places.get(session)!)).toHaveLength(place === 11 ? 0 : 1);
});

describe('a Session is restored', () => {
  it.each<[what: string, others: [week: number, day: string][], isRefused: boolean]>([
    ['if no other Session has its plan week', [[3, '25']], false],
    ['if the other Session of its plan week is cancelled', [[2, '25x']], false],
    ['not if a revision has added its plan week again', [[2, '25']], true],
  ])('%s', (_what, others, isRefused) => {
    const restored = memberOf(2, '11', 2);
    const members = [restored, ...others.map(([week, day], index) => memberOf(week, day, index + 3))];
    const check = () => assertWeeksNotReplaced([restored], members);
    if (isRefused) expect(check).toThrow('Week 2 of the plan now belongs to the Session at position 3');
    else expect(check).not.toThrow();
  });
});
