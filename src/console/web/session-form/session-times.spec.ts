import fc from 'fast-check';
import { validateSessionTimes, createInitialSessionTimes, toSessionTimesRequest } from './session-times.js';
import { findUtcOffsetMinutes } from './zone-offset.js';

const ZONES = [
  'Europe/London',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'UTC',
];

describe('the time of a form', () => {
  it('is the instant that the calendar has', () => {
    const day = fc.integer({ min: 0, max: 4_000 });
    const minute = fc.integer({ min: 0, max: 1_439 });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), day, minute, (zone, days, minutes) => {
        const local = Temporal.PlainDateTime.from('2024-01-01T00:00').add({ days, minutes });
        const zoned = local.toZonedDateTime(zone);
        const date = local.toPlainDate().toString().replaceAll('-', '/');
        const time = local.toPlainTime().toString({ smallestUnit: 'minute' });
        const offset = findUtcOffsetMinutes(date, time, zone);
        expect(local.toZonedDateTime('UTC').subtract({ minutes: offset }).epochMilliseconds).toBe(
          zoned.epochMilliseconds,
        );
      }),
    );
  });

  // The first of two equal local times, and the offset before the change for a local time that is skipped.
  it.each([
    ['2027/11/07', '01:30', 'America/New_York', -240],
    ['2027/11/07', '02:00', 'America/New_York', -300],
    ['2027/03/14', '02:30', 'America/New_York', -300],
    ['2027/03/14', '03:00', 'America/New_York', -240],
    ['2027/03/28', '01:30', 'Europe/London', 0],
    ['2027/10/31', '01:30', 'Europe/London', 60],
    ['2027/10/31', '02:30', 'Europe/Berlin', 120],
    ['2027/04/04', '02:30', 'Australia/Sydney', 660],
  ])('on %s at %s in %s has the offset %i minutes', (date, time, zone, offset) => {
    expect(findUtcOffsetMinutes(date, time, zone)).toBe(offset);
  });

  it('is checked as the service checks it', () => {
    const when = createInitialSessionTimes('2027/02/26');
    expect(when.date).toBe('2027-03-05');
    expect(validateSessionTimes(when)).toEqual({});
    expect(validateSessionTimes({ ...when, date: '', time: '', minutes: '721', interval: '0' })).toEqual({
      '/date': 'missing',
      '/time': 'missing',
      '/durationMinutes': 'number',
      '/intervalDays': 'number',
    });
    expect(validateSessionTimes({ ...when, minutes: '1.5', interval: '' })).toEqual({
      '/durationMinutes': 'number',
      '/intervalDays': 'number',
    });
  });

  it('becomes a request on the chosen clock', () => {
    const when = { ...createInitialSessionTimes('2027/06/24'), reminders: [] };
    const body = { date: '2027/07/01', time: '10:00', durationMinutes: 50, intervalDays: 7 };
    expect(toSessionTimesRequest(when, 'Asia/Kolkata')).toEqual({ offset: undefined, body });
    expect(toSessionTimesRequest({ ...when, clock: 'client' }, 'Asia/Kolkata')).toEqual({ offset: 330, body });
    expect(toSessionTimesRequest({ ...when, clock: 'client' }, null).offset).toBeUndefined();
    expect(toSessionTimesRequest({ ...when, reminders: ['-P1D'] }, null).body).toEqual({
      ...body,
      reminders: ['-P1D'],
    });
  });
});
