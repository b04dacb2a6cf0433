/* The clock of this device. It only affects what is shown, never what is stored. */

const MS_PER_MINUTE = 60_000;

/** Returns the current time, ISO 8601 in UTC. */
export function getCurrentTime(): string {
  // eslint-disable-next-line no-restricted-globals -- The only place that reads the clock of the browser.
  return new Date().toISOString();
}

/** Returns the time a number of minutes ago, ISO 8601 in UTC. */
export function getTimeMinutesAgo(minutes: number): string {
  // eslint-disable-next-line no-restricted-globals -- Not all browsers have Temporal.
  return new Date(Date.parse(getCurrentTime()) - minutes * MS_PER_MINUTE).toISOString();
}

/** Returns today's date in a time zone, in the service's format `yyyy/MM/dd`. */
export function getToday(timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return format.format().replaceAll('-', '/');
}
