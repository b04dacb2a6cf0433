import { formatWallClock } from '../../../shared/time/index.js';

/* Days and times as people in Britain write them, whatever the machine's language. */

type Day = Temporal.PlainDate | Temporal.ZonedDateTime;

/** `Mon 1 Mar` */
export function dayOf(day: Day): string {
  return `${weekdayOf(day)} ${day.day} ${monthOf(day)}`;
}

/** `Mon` */
export function weekdayOf(day: Day): string {
  return plain(day).toLocaleString('en-GB', { weekday: 'short' });
}

/** `09:30` */
export function timeOf(moment: Temporal.ZonedDateTime): string {
  return formatWallClock(moment).time;
}

/** `Mon 1 Mar 09:30` */
export function dayAndTime(moment: Temporal.ZonedDateTime): string {
  return `${dayOf(moment)} ${timeOf(moment)}`;
}

/** `22–28 Mar`, `29 Mar – 4 Apr` */
export function weekOf(first: Temporal.PlainDate): string {
  const last = first.add({ days: 6 });
  const isOneMonth = first.month === last.month;
  return isOneMonth
    ? `${first.day}–${last.day} ${monthOf(last)}`
    : `${first.day} ${monthOf(first)} – ${last.day} ${monthOf(last)}`;
}

/** `1 Session`, `12 Sessions` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function monthOf(day: Day): string {
  return plain(day).toLocaleString('en-GB', { month: 'short' });
}

function plain(day: Day): Temporal.PlainDate {
  return day instanceof Temporal.PlainDate ? day : day.toPlainDate();
}
