import { addDaysToSlashDate, toDayNumber, findMondaySlashDate } from '../../ui/time/calendar-days.js';

/** A calendar week with its Sessions, or several consecutive weeks without Sessions. */
export type WeekOrGap<T> =
  | { kind: 'week'; monday: string; sessions: readonly T[]; isCurrent: boolean }
  | { kind: 'gap'; monday: string; weeks: number; isCurrent: boolean };

/** Up to this many consecutive weeks without Sessions are shown individually. */
const MAX_EMPTY = 2;

/**
 * Returns the calendar weeks from the first to the last Session. Weeks without Sessions are included, and many of them
 * in a row are combined into a gap.
 *
 * @param today `yyyy/MM/dd`
 */
export function toWeekColumns<T extends { date: string; startsAt: string }>(
  sessions: readonly T[],
  today: string,
): readonly WeekOrGap<T>[] {
  const byMonday = Map.groupBy(sessions.toSorted(byStart), ({ date }) => findMondaySlashDate(date));
  const mondays = [...byMonday.keys()].sort();
  const current = findMondaySlashDate(today);
  return mondays.flatMap((monday, index): WeekOrGap<T>[] => {
    const previous = mondays[index - 1];
    const week = { kind: 'week' as const, monday, sessions: byMonday.get(monday)!, isCurrent: monday === current };
    return previous === undefined ? [week] : [...fill(previous, monday, current), week];
  });
}

/** Returns the weeks between two weeks with Sessions. */
function fill(previous: string, next: string, current: string): WeekOrGap<never>[] {
  const weeks = (toDayNumber(next) - toDayNumber(previous)) / 7 - 1;
  const mondays = Array.from({ length: weeks }, (_, index) => addDaysToSlashDate(previous, 7 * (index + 1)));
  if (weeks <= MAX_EMPTY)
    return mondays.map((monday) => ({ kind: 'week', monday, sessions: [], isCurrent: monday === current }));
  return [{ kind: 'gap', monday: mondays[0]!, weeks, isCurrent: mondays.includes(current) }];
}

function byStart(a: { startsAt: string }, b: { startsAt: string }): number {
  return a.startsAt < b.startsAt ? -1 : 1;
}
