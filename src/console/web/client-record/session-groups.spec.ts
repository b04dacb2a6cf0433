import type { SeriesSummary, Session } from '@care-scheduling/client';
import { findNextSession, groupSessionsBySeries } from './session-groups.js';

let id = 0;
const session = (seriesId: string, startsAt: string, more: Partial<Session> = {}) => {
  id += 1;
  const endsAt = startsAt.replace('T10:00', 'T10:50');
  const progress = { done: 1, total: 2 };
  return { id, seriesId, startsAt, endsAt, status: 'SCHEDULED', title: seriesId, progress, ...more } as Session;
};
const series = (seriesId: string, next: string | null) =>
  ({ id: seriesId, nextSession: next === null ? null : { id: 1, startsAt: next } }) as SeriesSummary;

describe('the series of a Client', () => {
  it('come with Sessions ahead first, and finished ones latest first', () => {
    const done = { status: 'COMPLETED' } as const;
    const groups = groupSessionsBySeries(
      [
        session('older', '2027-01-05T10:00:00.000Z', done),
        session('later', '2027-09-01T10:00:00.000Z'),
        session('newer', '2027-02-05T10:00:00.000Z', done),
        session('soon', '2027-08-01T10:00:00.000Z'),
        session('soon', '2027-07-25T10:00:00.000Z'),
      ],
      [series('soon', '2027-07-25T10:00:00.000Z'), series('newer', null), series('older', null)],
    );
    expect(groups.map(({ id: name }) => name)).toEqual(['soon', 'later', 'newer', 'older']);
    expect(groups[0]!.sessions.map(({ startsAt }) => startsAt.slice(5, 10))).toEqual(['07-25', '08-01']);
    expect(groups[0]!.series).toBeDefined();
    // The caller may see only some Sessions of this series.
    expect(groups[1]!.series).toBeUndefined();
  });

  it('count the homework of Sessions that are not cancelled', () => {
    const [group] = groupSessionsBySeries(
      [session('a', '2027-01-05T10:00:00.000Z'), session('a', '2027-01-12T10:00:00.000Z', { status: 'CANCELLED' })],
      [],
    );
    expect(group!.progress).toEqual({ done: 1, total: 2 });
  });

  it('finds the next Session, also while it takes place', () => {
    const running = session('a', '2027-01-05T10:00:00.000Z');
    const all = [session('a', '2027-01-12T10:00:00.000Z'), running];
    expect(findNextSession(all, '2027-01-05T10:20:00.000Z')).toBe(running);
    expect(findNextSession([{ ...running, status: 'PAUSED' }], '2027-01-01T00:00:00.000Z')).toBeUndefined();
  });
});
