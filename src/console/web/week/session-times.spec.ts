import type { WeekSession } from '@care-scheduling/client';
import {
  adoptSavedTimes,
  findVisibleHours,
  canSendMove,
  toBoardTimeRange,
  findChangedSessionFields,
  toMoveDraft,
  toDraftAfterMove,
  toDraftAfterResize,
  toWallClock,
  applyMoveDraft,
} from './session-times.js';

const local = (date: string, time: string) => ({ date, time, utcOffset: '+00:00' });
const session = {
  date: '2027/03/22',
  time: '10:00',
  timeZone: 'Europe/London',
  durationMinutes: 50,
  startsAt: '2027-03-22T10:00:00.000Z',
  endsAt: '2027-03-22T10:50:00.000Z',
  localStart: local('2027/03/22', '10:00'),
  localEnd: local('2027/03/22', '10:50'),
} as WeekSession;

it('draws a Session at its local times', () => {
  expect(toBoardTimeRange(session)).toEqual({ start: '2027-03-22T10:00', end: '2027-03-22T10:50' });
});

it('draws a Session in the repeated hour with its true length', () => {
  const repeated = { ...session, localStart: local('2027/10/31', '01:30'), localEnd: local('2027/10/31', '01:20') };
  expect(toBoardTimeRange(repeated)).toEqual({ start: '2027-10-31T01:30', end: '2027-10-31T02:20' });
});

it('shows a working day, more for early and late Sessions, and the whole day over midnight', () => {
  expect(findVisibleHours([])).toEqual({ first: 8, last: 18 });
  const early = { start: '2027-03-22T06:30', end: '2027-03-22T07:00' };
  const late = { start: '2027-03-22T19:30', end: '2027-03-22T20:10' };
  expect(findVisibleHours([early, late])).toEqual({ first: 6, last: 21 });
  expect(findVisibleHours([{ start: '2027-03-22T23:30', end: '2027-03-23T00:20' }])).toEqual({ first: 0, last: 24 });
});

it('reads a drop on the clock of the Session, not of the week', () => {
  const western = { ...session, timeZone: 'America/Los_Angeles' };
  expect(toDraftAfterMove(western, '2027-03-23T01:00', 'Europe/London')).toMatchObject({
    date: '2027-03-22',
    time: '18:00',
  });
  expect(toDraftAfterMove(session, '2027-03-28T01:30', 'Europe/London')).toMatchObject({
    date: '2027-03-28',
    // The clock change skips 01:30 on that day.
    time: '02:30',
  });
});

it('compares a draft with the times that another person has saved meanwhile', () => {
  const seen = { ...session, version: 1 };
  const saved = { ...seen, version: 2, date: '2027/03/23', durationMinutes: 90 };
  const based = adoptSavedTimes(seen, saved);
  const fields = { date: '2027/03/22', time: '11:00', durationMinutes: 50 };
  expect([based.version, findChangedSessionFields(based, { ...toMoveDraft(seen), time: '11:00' })]).toEqual([
    2,
    fields,
  ]);
});

it('sends the fields that differ, and nothing for the others', () => {
  const draft = toMoveDraft(session);
  expect(findChangedSessionFields(session, draft)).toEqual({});
  expect(canSendMove(session, draft)).toBe(false);
  expect(findChangedSessionFields(session, { ...draft, time: '11:00' })).toEqual({ time: '11:00' });
  expect(findChangedSessionFields(session, toDraftAfterMove(session, '2027-03-24T10:00', 'Europe/London'))).toEqual({
    date: '2027/03/24',
  });
  expect(findChangedSessionFields(session, toDraftAfterResize(session, 25))).toEqual({ durationMinutes: 75 });
  expect(findChangedSessionFields(session, toDraftAfterResize(session, -90))).toEqual({ durationMinutes: 1 });
});

it.each([{ date: '' }, { time: '' }, { durationMinutes: '' }, { durationMinutes: '0' }, { durationMinutes: '1e9' }])(
  'asks nothing for %p',
  (change) => {
    expect(canSendMove(session, { ...toMoveDraft(session), ...change })).toBe(false);
  },
);

it('shows a moved Session at once in the zone of the week, also behind a clock change', () => {
  const moved = applyMoveDraft(session, { ...toMoveDraft(session), date: '2027-03-29' }, 'Europe/London');
  expect(moved).toMatchObject({
    startsAt: '2027-03-29T09:00:00.000Z',
    endsAt: '2027-03-29T09:50:00.000Z',
    localStart: { date: '2027/03/29', time: '10:00', utcOffset: '+01:00' },
  });
});

it('has the wall clock of a zone', () => {
  expect(toWallClock('2027-07-05T09:30:00Z', 'Europe/London')).toBe('2027-07-05T10:30');
});
