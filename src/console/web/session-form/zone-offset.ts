import { toDayNumber } from '../ui/time/calendar-days.js';

const MINUTE = 60_000;
const DAY = 1_440;

/**
 * Returns the UTC offset of a local time in a time zone, in minutes east. The service interprets the times of a request
 * at this offset. If a clock change repeats the local time, the offset is that of the first one; if it skips the local
 * time, the offset is that before the change.
 *
 * @param date `yyyy/MM/dd`
 * @param time `HH:mm`
 */
export function findUtcOffsetMinutes(date: string, time: string, timeZone: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const local = (toDayNumber(date) * DAY + hours * 60 + minutes) * MINUTE;
  const [before, after] = [-DAY, DAY].map((minutes) => readOffset(local + minutes * MINUTE, timeZone)) as [
    number,
    number,
  ];
  const has = (offset: number) => readOffset(local - offset * MINUTE, timeZone) === offset;
  // A local time that a clock change skips has neither offset. With the offset before the change, it becomes later.
  return !has(before) && has(after) ? after : before;
}

function readOffset(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d{1,2}):?(\d{2})?/.exec(name) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -offset : offset;
}

/** Returns the time zone of this device. */
export function getDeviceZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
