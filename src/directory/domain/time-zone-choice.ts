import { isTimeZone } from '../../shared/time/index.js';

/**
 * Returns the IANA time zone of a person: their own, or the Clinic's if they have none or if Node does not know it,
 * because another release may have stored it. UTC if Node knows neither.
 */
export function chooseTimeZone(person: { timeZone: string | null }, clinic: { timeZone: string }): string {
  return [person.timeZone, clinic.timeZone].find((zone) => zone !== null && isTimeZone(zone)) ?? 'UTC';
}
