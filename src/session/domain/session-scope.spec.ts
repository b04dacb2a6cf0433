import type { ChangeScope } from './change-options.js';
import { compareByStart } from './series-order.js';
import { createSessionSlot } from './series-slots.js';
import { rescheduleAlike, selectSessionsInScope, selectSessionsOfLastStep } from './session-scope.js';
import { Session } from './session.entity.js';

const CREATED_AT = Temporal.Instant.from('2027-01-01T00:00:00Z');
const NOW = Temporal.Instant.from('2027-01-10T00:00:00Z');

/** Creates Sessions on days of January 2027, in order of start. Their positions are those of the list. */
function sessionsOn(...days: number[]): Session[] {
  const data = { seriesId: 'S', clinicId: 1, caregiverId: 1, clientId: 1, title: 'T' };
  const sessions = days.map((day, index) => {
    const slot = createSessionSlot(new Temporal.PlainDateTime(2027, 1, day, 9, 30), 'UTC');
    return new Session(data, { position: index + 1 }, slot, CREATED_AT);
  });
  return sessions.sort(compareByStart);
}

const daysOf = (sessions: readonly Session[]) => sessions.map(({ planned }) => planned.day);
const onDay = (sessions: readonly Session[], day: number) => sessions.find(({ planned }) => planned.day === day)!;

describe('selectSessionsInScope', () => {
  /** The Session of the 4th has started, and the Session of the 25th is cancelled. */
  it.each<[scope: ChangeScope, day: number, selected: number[]]>([
    ['this', 18, [18]],
    ['following', 11, [11, 18, 29]],
    ['following', 18, [18, 29]],
    ['following', 4, [4, 11, 18, 29]],
    ['following', 29, [29]],
    ['series', 18, [11, 18, 29]],
    ['series', 4, [4, 11, 18, 29]],
    ['series', 25, [11, 18, 25, 29]],
  ])('%s, from the Session of the %i', (scope, day, selected) => {
    const members = sessionsOn(4, 11, 29, 25, 18);
    onDay(members, 25).cancel({ reason: 'ILLNESS' }, NOW);
    expect(daysOf(selectSessionsInScope({ members, now: NOW }, onDay(members, day), scope))).toEqual(selected);
  });
});

describe('selectSessionsOfLastStep', () => {
  /** One request has cancelled the 11th, 18th and 25th, another the 29th. The 4th is scheduled. */
  it.each<[scope: ChangeScope, day: number, selected: number[]]>([
    ['this', 18, [18]],
    ['following', 18, [18, 25]],
    ['series', 18, [11, 18, 25]],
    ['series', 29, [29]],
    ['series', 4, [4]],
  ])('%s, from the Session of the %i', (scope, day, selected) => {
    const members = sessionsOn(4, 11, 18, 25, 29);
    for (const other of [11, 18, 25]) onDay(members, other).cancel({ reason: 'ILLNESS' }, NOW);
    onDay(members, 29).cancel({ reason: 'ILLNESS' }, NOW.add({ milliseconds: 1 }));
    expect(daysOf(selectSessionsOfLastStep(members, onDay(members, day), scope))).toEqual(selected);
  });

  it('distinguishes two steps at the same time', () => {
    const members = sessionsOn(11, 18);
    members[0]!.cancel({ reason: 'ILLNESS' }, NOW);
    members[1]!.pause(NOW);
    expect(daysOf(selectSessionsOfLastStep(members, members[0]!, 'series'))).toEqual([11]);
  });

  it('does not relate Sessions that have never changed', () => {
    const members = sessionsOn(11, 18);
    expect(daysOf(selectSessionsOfLastStep(members, members[1]!, 'series'))).toEqual([18]);
  });
});

describe('rescheduleAlike', () => {
  it.each<[what: string, planned: string, from: string, to: string, after: string]>([
    ['moves by the same days', '2027-01-18T09:30', '2027-01-11T09:30', '2027-01-13T09:30', '2027-01-20T09:30'],
    ['moves back', '2027-01-18T09:30', '2027-01-11T09:30', '2027-01-08T09:30', '2027-01-15T09:30'],
    ['takes over the new time', '2027-01-18T09:30', '2027-01-11T09:30', '2027-01-11T14:00', '2027-01-18T14:00'],
    ['keeps another time of day', '2027-01-18T11:00', '2027-01-11T09:30', '2027-01-12T14:00', '2027-01-19T11:00'],
    ['counts days by date', '2027-01-18T23:30', '2027-01-11T23:30', '2027-01-12T00:15', '2027-01-19T00:15'],
  ])('%s', (_what, planned, from, to, after) => {
    const [moved, ...times] = [planned, from, to].map((time) => Temporal.PlainDateTime.from(time));
    const result = rescheduleAlike(moved!, times[0]!, times[1]!);
    expect(result.toString({ smallestUnit: 'minute' })).toBe(after);
  });
});
