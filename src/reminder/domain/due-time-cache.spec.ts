import fc from 'fast-check';
import { DueTimeCache } from './due-time-cache.js';
import { computeDueTime, type ReminderRule } from './reminder-rule.js';
import type { SessionSnapshot } from './session-data.js';

/** Two days before the clocks go forward in London. */
const NOW = Temporal.Instant.from('2027-03-26T09:00:00Z');
const zones = fc.constantFrom('Europe/London', 'America/New_York', '+05:30');
const few = fc.integer({ min: 1, max: 3 });

const rules = fc.oneof(
  fc.record({ kind: fc.constant('REMIND_DAYS'), days: few }),
  fc.record({ kind: fc.constant('AROUND_START'), offset: fc.constantFrom('-P1D', '-PT24H', 'P1W') }),
  fc.record({
    kind: fc.constant('HOMEWORK'),
    ...{ bookId: few, reminderDay: few, time: fc.constantFrom('01:30', '20:00'), timeZone: zones },
  }),
) as fc.Arbitrary<ReminderRule>;

/** Each Session is on a different day around the clock change. */
function createSession(sessionId: number, timeZone = 'Europe/London'): SessionSnapshot {
  const plannedDate = Temporal.PlainDate.from('2027-03-25').add({ days: sessionId });
  const startsAt = plannedDate.toZonedDateTime({ timeZone, plainTime: '01:30' }).toInstant();
  const between = { clinicId: 1, clientId: 2, caregiverId: 3 };
  return { sessionId, ...between, plannedDate, timeZone, startsAt, phase: 'AHEAD', doneHomeworkIds: new Set() };
}

const subjects = fc.tuple(few, zones).map(([sessionId, timeZone]) => createSession(sessionId, timeZone));

it('returns the due time of the rule', () => {
  // Session IDs are unique, because a Session has only one time zone.
  const planned = fc.uniqueArray(subjects, { minLength: 1, selector: ({ sessionId }) => sessionId });
  fc.assert(
    fc.property(planned, fc.array(rules, { maxLength: 20 }), (sessions, rules) => {
      const times = new DueTimeCache(NOW);
      for (const session of sessions)
        for (const rule of rules)
          expect(times.get(rule, session).toString()).toBe(computeDueTime(rule, session, NOW).toString());
    }),
  );
});

it('returns the same object for equal due times', () => {
  const times = new DueTimeCache(NOW);
  const [first, second] = [createSession(1), createSession(2)];
  const days: ReminderRule = { kind: 'REMIND_DAYS', days: 7 };
  const before: ReminderRule = { kind: 'AROUND_START', offset: '-P1D' };
  const homework = { kind: 'HOMEWORK', reminderDay: 2, time: '20:00', timeZone: 'Europe/London' } as const;
  expect(times.get(days, first)).toBe(times.get(days, second));
  expect(times.get(before, first)).toBe(times.get(before, first));
  expect(times.get(before, first)).not.toBe(times.get(before, second));
  expect(times.get({ ...homework, bookId: 5 }, first)).toBe(times.get({ ...homework, bookId: 6 }, first));
});
