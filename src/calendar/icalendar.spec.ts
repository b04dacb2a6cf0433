import type { Session } from '../session/index.js';
import { formatCalendarFeed } from './icalendar.js';

const startsAt = Temporal.Instant.from('2027-03-01T09:30:00Z');
const toSession = (id: number, description: string) =>
  ({
    ...{ id, description, title: 'Sleep session', version: 1, status: 'SCHEDULED', timeZone: 'Europe/London' },
    ...{ startsAt, endsAt: startsAt.add({ minutes: 50 }), updatedAt: startsAt },
  }) as Session;

it('formats long texts of many Sessions without blocking other requests for seconds', () => {
  const description = 'é😀'.repeat(2_000);
  const sessions = Array.from({ length: 500 }, (_, index) => toSession(index + 1, description));
  const before = performance.now();
  const text = formatCalendarFeed(sessions, { titles: 'FULL', host: 'care.example.org' });
  expect(performance.now() - before).toBeLessThan(2_000);
  expect(text.replaceAll('\r\n ', '').split(`\r\nDESCRIPTION:${description}\r\n`)).toHaveLength(501);
  expect(Math.max(...text.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
});
