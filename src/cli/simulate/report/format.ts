import { formatLocalDateTime } from '../../../shared/time/index.js';

/* Formats days and times in British English, regardless of the machine's locale. */

type Day = Temporal.PlainDate | Temporal.ZonedDateTime;

/** Formats a day with its weekday, as in `Mon 1 Mar`. */
export function formatDay(day: Day): string {
  return `${formatWeekday(day)} ${day.day} ${formatMonth(day)}`;
}

/** Formats the weekday of a day, as in `Mon`. */
export function formatWeekday(day: Day): string {
  return toPlainDate(day).toLocaleString('en-GB', { weekday: 'short' });
}

/** Formats a local time, as in `09:30`. */
export function formatTime(moment: Temporal.ZonedDateTime): string {
  return formatLocalDateTime(moment).time;
}

/** Formats a day and a local time, as in `Mon 1 Mar 09:30`. */
export function formatDayAndTime(moment: Temporal.ZonedDateTime): string {
  return `${formatDay(moment)} ${formatTime(moment)}`;
}

/** Formats the seven days from `first`, as in `22–28 Mar` or `29 Mar – 4 Apr`. */
export function formatWeek(first: Temporal.PlainDate): string {
  const last = first.add({ days: 6 });
  const isOneMonth = first.month === last.month;
  return isOneMonth
    ? `${first.day}–${last.day} ${formatMonth(last)}`
    : `${first.day} ${formatMonth(first)} – ${last.day} ${formatMonth(last)}`;
}

/** Formats a number with its noun, as in `1 Session` or `12 Sessions`. */
export function formatCount(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}

function formatMonth(day: Day): string {
  return toPlainDate(day).toLocaleString('en-GB', { month: 'short' });
}

function toPlainDate(day: Day): Temporal.PlainDate {
  return day instanceof Temporal.PlainDate ? day : day.toPlainDate();
}
