/* The clock of this device. It only affects what is shown, never what is stored. */

/** Returns the current time, ISO 8601 in UTC. */
export function getCurrentTime(): string {
  // eslint-disable-next-line no-restricted-globals -- The only place that reads the clock of the browser.
  return new Date().toISOString();
}

/** Returns today's date in a time zone, in the service's format `yyyy/MM/dd`. */
export function getToday(timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return format.format().replaceAll('-', '/');
}
