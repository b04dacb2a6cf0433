import { DemonstrationCareSteps } from './demonstration-care-steps.js';
import { DemonstrationCare } from './demonstration-care.js';
import { DemonstrationSettings } from './demonstration-settings.js';

const none = undefined as never;
const care = new DemonstrationCare(new DemonstrationCareSteps(none, none, none, none, none, none));
const settings = new DemonstrationSettings(none, none, none, none, none);

const NOON_OF_A_WEDNESDAY = Temporal.Instant.from('2026-11-25T12:00:00Z');
const timesFrom = (start: string, days: number, hours: number) =>
  Array.from({ length: (days * 24) / hours }, (_, index) => Temporal.Instant.from(start).add({ hours: index * hours }));

/** Returns the order in which the steps run, and the number of steps that are not in the past. */
function play(now: Temporal.Instant): { order: number[]; late: number } {
  const steps = [...settings.listSteps(now), ...care.listSteps(now)].map(({ at }, index) => ({ at, index }));
  steps.sort((left, right) => Temporal.Instant.compare(left.at, right.at));
  return {
    order: steps.map(({ index }) => index),
    late: steps.filter(({ at }) => Temporal.Instant.compare(at, now) >= 0).length,
  };
}

it.each([
  ['each hour of a fortnight of winter', '2026-11-16T00:00:00Z', 14, 1],
  ['each hour of the turn of the year', '2026-12-28T00:00:00Z', 14, 1],
  ['each hour around the leap day', '2028-02-25T00:00:00Z', 14, 1],
  ['the weeks of the start of summer time in Los Angeles and then in London', '2027-03-08T00:00:00Z', 70, 7],
  ['the weeks of its end in London and then in Los Angeles', '2027-10-25T00:00:00Z', 70, 7],
])('runs all steps in the same order and in the past, in %s', (_, start, days, hours) => {
  const expected = { ...play(NOON_OF_A_WEDNESDAY), late: 0 };
  for (const now of timesFrom(start, days, hours))
    expect([now.toString(), play(now)]).toEqual([now.toString(), expected]);
});
