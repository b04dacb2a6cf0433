import { toDayNumber } from '../ui/time/calendar-days.js';

const MINUTE = 60_000;
const DAY = 1_440;

/**
 * Returns the UTC offset of a local time in a time zone, in minutes east. The service interprets the times of a request
 * at this offset.
 *
 * @param date `yyyy/MM/dd`
 * @param time `HH:mm`
 */
export function findUtcOffsetMinutes(date: string, time: string, timeZone: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const local = (toDayNumber(date) * DAY + hours * 60 + minutes) * MINUTE;
  // The first offset belongs to a nearby instant, which may be on the other side of a clock change.
  const near = readOffset(local, timeZone);
  return readOffset(local - near * MINUTE, timeZone);
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
