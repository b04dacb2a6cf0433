import { simulatePlan } from './simulate-plan.js';
import { INITIAL_SIMULATOR_INPUT, moveSessionOfWeek } from './simulator-input.js';

const localTimes = (week: ReturnType<typeof simulatePlan>[number], zone: string) =>
  week.reminders.map(({ at }) => Temporal.Instant.from(at).toZonedDateTimeISO(zone).toPlainDateTime().toString());

it('plans Sessions and reminders on the wall clock, and marks the clock change', () => {
  const weeks = simulatePlan(INITIAL_SIMULATOR_INPUT);
  expect(weeks).toHaveLength(8);
  expect(localTimes(weeks[0]!, 'Europe/London')).toEqual([
    '2027-03-07T09:30:00',
    // The reminder two hours before this Session would be in quiet hours, which last until 08:00.
    '2027-03-08T08:00:00',
    '2027-03-09T18:00:00',
    '2027-03-12T18:30:00',
  ]);
  // The clocks in London go forward on 28 March 2027.
  expect(weeks.flatMap(({ number, warnings }) => warnings.map((kind) => [number, kind]))).toEqual([
    [4, 'DAYLIGHT_SAVING_SHIFT'],
  ]);
  expect(weeks.map(({ session }) => session.at.slice(11, 16))).toEqual([
    ...Array<string>(3).fill('09:30'),
    ...Array<string>(5).fill('08:30'),
  ]);
});

it('moves the reminders of a week with its Session, and no others', () => {
  const [before, after] = [
    simulatePlan(INITIAL_SIMULATOR_INPUT),
    simulatePlan(moveSessionOfWeek(INITIAL_SIMULATOR_INPUT, 1, 2)),
  ];
  expect(after[1]!.session.at).toBe('2027-03-17T09:30:00Z');
  expect(localTimes(after[1]!, 'Europe/London').at(-1)).toBe('2027-03-18T18:00:00');
  expect(after[2]!.reminders).toEqual(before[2]!.reminders);
});

it('sends before quiet hours a reminder that they would bring too near to the Session', () => {
  const [week] = simulatePlan({
    ...INITIAL_SIMULATOR_INPUT,
    time: '08:15',
    quietHours: { from: '06:00', to: '08:00' },
  });
  expect(week!.reminders.map(({ adjustment }) => adjustment)).toContain('ADVANCED');
});
