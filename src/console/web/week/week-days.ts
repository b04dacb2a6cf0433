import type { Week } from '@care-scheduling/client';
import { Temporal } from 'temporal-polyfill';

/* Functions for days and weeks. `WeekDay` is a day as the service computes it in the time zone of the week. */

export type WeekDay = Week['days'][number];

/** A day that a clock change makes longer or shorter. */
export type ClockChange = {
  /** Format `yyyy/MM/dd`. */
  date: string;
  /** Positive if the clocks go forward, which makes the day shorter. */
  minutesForward: number;
};

const MINUTES_OF_A_DAY = 24 * 60;

/** Returns the Monday on or before a date. @param date yyyy/MM/dd or yyyy-MM-dd */
export function findMondayIsoDate(date: string): string {
  const day = Temporal.PlainDate.from(date.replaceAll('/', '-'));
  return day.subtract({ days: day.dayOfWeek - 1 }).toString();
}

/**
 * Returns the date that is a number of days after the given one.
 *
 * @param date in the format `yyyy-MM-dd`
 */
export function addDaysToIsoDate(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/**
 * Parses a date in a URL, and returns the Monday of its week. Returns undefined if the text is not a date in the years
 * 1 to 9999.
 */
export function parseDateToMonday(text: string | null): string | undefined {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  try {
    return findMondayIsoDate(text);
  } catch {
    return undefined;
  }
}

/** Returns the days that are longer or shorter than 24 hours because the clocks change. */
export function listClockChanges({ days, endsAt }: Pick<Week, 'days' | 'endsAt'>): ClockChange[] {
  return days.flatMap(({ date, startsAt }, index) => {
    const next = Temporal.Instant.from(days[index + 1]?.startsAt ?? endsAt);
    const minutes = Temporal.Instant.from(startsAt).until(next).total('minutes');
    return minutes === MINUTES_OF_A_DAY ? [] : [{ date, minutesForward: MINUTES_OF_A_DAY - minutes }];
  });
}
