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
  it('has the offset that the calendar has', () => {
    const day = fc.integer({ min: 0, max: 4_000 });
    const minute = fc.integer({ min: 0, max: 1_439 });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), day, minute, (zone, days, minutes) => {
        const local = Temporal.PlainDateTime.from('2024-01-01T00:00').add({ days, minutes });
        const zoned = local.toZonedDateTime(zone);
        // Skips local times that a clock change skips or repeats, because they have two possible offsets.
        fc.pre(local.toZonedDateTime(zone, { disambiguation: 'later' }).equals(zoned));
        const date = local.toPlainDate().toString().replaceAll('-', '/');
        const time = local.toPlainTime().toString({ smallestUnit: 'minute' });
        expect(findUtcOffsetMinutes(date, time, zone)).toBe(zoned.offsetNanoseconds / 60e9);
      }),
    );
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
