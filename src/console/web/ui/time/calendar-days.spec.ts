import fc from 'fast-check';
import { addDaysToSlashDate, fromDayNumber, toDayNumber, findMondaySlashDate } from './calendar-days.js';

const EPOCH = Temporal.PlainDate.from('1970-01-01');
const days = fc.integer({ min: -200_000, max: 200_000 });
const write = (date: Temporal.PlainDate) => date.toString().replaceAll('-', '/');

describe('days of the calendar', () => {
  it('are counted as the calendar counts them', () => {
    fc.assert(
      fc.property(days, (count) => {
        const date = EPOCH.add({ days: count });
        expect(fromDayNumber(count)).toBe(write(date));
        expect(toDayNumber(write(date))).toBe(count);
        expect(findMondaySlashDate(write(date))).toBe(write(date.subtract({ days: date.dayOfWeek - 1 })));
      }),
    );
  });

  it.each([
    ['2028/02/28', 2, '2028/03/01'],
    ['2027/01/01', -1, '2026/12/31'],
  ])('%s and %i days is %s', (date, count, expected) => {
    expect(addDaysToSlashDate(date, count)).toBe(expected);
  });
});
