/* Converts local days to instants, for filters by date. */

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Returns the first instant of a day in a time zone, ISO 8601 in UTC, or undefined if the text is not a date.
 *
 * @param date `yyyy-MM-dd`
 */
export function toStartOfDay(date: string, timeZone: string): string | undefined {
  if (!DAY.test(date)) return undefined;
  // eslint-disable-next-line no-restricted-globals -- Parsing reads no clock, and not all browsers have Temporal.
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight)) return undefined;
  // If the clocks change on this day, the offset at the result may differ from that at the first guess.
  const guess = midnight - readOffset(midnight, timeZone);
  const second = midnight - readOffset(guess, timeZone);
  // If the clocks skip midnight, neither instant is at midnight, and the day begins at the later one.
  const start = second + readOffset(second, timeZone) === midnight ? second : Math.max(guess, second);
  // eslint-disable-next-line no-restricted-globals -- Reads no clock, and not all browsers have Temporal.
  return new Date(start).toISOString();
}

/** Returns the day after a day, `yyyy-MM-dd`. A text that is not a date is returned unchanged. */
export function addOneDayToIsoDate(date: string): string {
  // eslint-disable-next-line no-restricted-globals -- Reads no clock, and not all browsers have Temporal.
  const noon = Date.parse(`${date}T12:00:00Z`);
  // eslint-disable-next-line no-restricted-globals -- Reads no clock, and not all browsers have Temporal.
  return DAY.test(date) && !Number.isNaN(noon) ? new Date(noon + 86_400_000).toISOString().slice(0, 10) : date;
}

/** Returns the offset of a time zone from UTC, in milliseconds. */
function readOffset(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d+):(\d+)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
