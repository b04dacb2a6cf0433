/* Converts dates in the service's format, `yyyy/MM/dd`, to day numbers. Works in browsers without Temporal. */

const DAYS_OF_400_YEARS = 146_097;
/** The number of days from a Monday to 1970/01/01, which was a Thursday. */
const MONDAY_OFFSET = 3;

/** Returns the number of days since 1970/01/01. */
export function toDayNumber(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('/').map(Number);
  // The computation counts years from March, so that the leap day is the last day of a year.
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_OF_400_YEARS + dayOfEra - 719_468;
}

/** Returns the date for a number of days since 1970/01/01. */
export function fromDayNumber(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / DAYS_OF_400_YEARS);
  const dayOfEra = shifted - era * DAYS_OF_400_YEARS;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${pad(year, 4)}/${pad(month, 2)}/${pad(day, 2)}`;
}

/** Returns the Monday of the week that contains a date. */
export function findMondaySlashDate(date: string): string {
  const days = toDayNumber(date);
  return fromDayNumber(days - ((((days + MONDAY_OFFSET) % 7) + 7) % 7));
}

export function addDaysToSlashDate(date: string, days: number): string {
  return fromDayNumber(toDayNumber(date) + days);
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
