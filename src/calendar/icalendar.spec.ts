import { jest } from '@jest/globals';
import type { Session } from '../session/index.js';
import { formatCalendarFeed } from './icalendar.js';

const startsAt = Temporal.Instant.from('2027-03-01T09:30:00Z');
const toSession = (id: number, description: string) =>
  ({
    ...{ id, description, title: 'Sleep session', version: 1, status: 'SCHEDULED', timeZone: 'Europe/London' },
    ...{ startsAt, endsAt: startsAt.add({ minutes: 50 }), updatedAt: startsAt },
  }) as Session;

it('does not encode each character of long texts separately', () => {
  const description = 'é😀'.repeat(2_000);
  const sessions = Array.from({ length: 500 }, (_, index) => toSession(index + 1, description));
  // The library encodes each character of the texts that it folds.
  const encode = jest.spyOn(TextEncoder.prototype, 'encode');
  const text = formatCalendarFeed(sessions, { titles: 'FULL', locale: null, host: 'care.example.org' });
  expect(encode.mock.calls.length).toBeLessThan(1_000);
  encode.mockRestore();
  expect(text.replaceAll('\r\n ', '').split(`\r\nDESCRIPTION:${description}\r\n`)).toHaveLength(501);
  expect(Math.max(...text.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
});
