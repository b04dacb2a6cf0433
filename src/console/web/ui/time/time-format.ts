import { getCurrentTime } from './clock.js';

/* Formats times. All pages use these functions, so that times look the same everywhere. */

/** The parts of a time that are shown. `date` and `dateTime` have the year unless it is the current one. */
export type TimeFormat =
  'date' | 'dateTime' | 'dateTimeYear' | 'dateYear' | 'dayMonthYear' | 'longDate' | 'time' | 'weekday';

const FORMAT_OPTIONS: Readonly<Record<TimeFormat, Intl.DateTimeFormatOptions>> = {
  date: { weekday: 'short', day: 'numeric', month: 'short' },
  dateTime: { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  dateTimeYear: {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit' },
  },
  dateYear: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  dayMonthYear: { day: 'numeric', month: 'long', year: 'numeric' },
  longDate: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  time: { hour: '2-digit', minute: '2-digit' },
  weekday: { weekday: 'long' },
};

const WITH_YEAR: Readonly<Partial<Record<TimeFormat, TimeFormat>>> = { date: 'dateYear', dateTime: 'dateTimeYear' };

const formats = new Map<string, Intl.DateTimeFormat>();

/** British English uses the 24-hour clock and puts the day before the month, like the other languages. */
const TAGS: Readonly<Record<string, string>> = { en: 'en-GB' };

function getFormat(language: string, timeZone: string, format: TimeFormat): Intl.DateTimeFormat {
  const key = `${language} ${timeZone} ${format}`;
  const existing = formats.get(key);
  if (existing !== undefined) return existing;
  const created = new Intl.DateTimeFormat(TAGS[language] ?? language, { ...FORMAT_OPTIONS[format], timeZone });
  formats.set(key, created);
  return created;
}

/** Formats an instant from the service (ISO 8601 in UTC) in a time zone. */
export function formatInstant(at: string, timeZone: string, format: TimeFormat, language: string): string {
  return getFormat(language, timeZone, chooseFormat(format, timeZone, at)).format(toMilliseconds(at));
}

/** Returns the format with the year if one of the instants is not in the current year of the time zone. */
function chooseFormat(format: TimeFormat, timeZone: string, ...instants: readonly string[]): TimeFormat {
  const withYear = WITH_YEAR[format];
  if (withYear === undefined) return format;
  const current = readYear(getCurrentTime(), timeZone);
  return instants.every((at) => readYear(at, timeZone) === current) ? format : withYear;
}

function readYear(at: string, timeZone: string): string {
  const key = `year ${timeZone}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat('en', { year: 'numeric', timeZone });
  formats.set(key, format);
  return format.format(toMilliseconds(at));
}

/** Formats a range of two instants. Parts that both have in common, such as the date, appear only once. */
export function formatRange(from: string, to: string, timeZone: string, format: TimeFormat, language: string): string {
  return getFormat(language, timeZone, chooseFormat(format, timeZone, from, to)).formatRange(
    toMilliseconds(from),
    toMilliseconds(to),
  );
}

/** Formats a calendar date from the service, `yyyy/MM/dd`. A date has no time zone. */
export function formatDate(date: string, format: 'date' | 'longDate', language: string): string {
  return formatInstant(`${date.replaceAll('/', '-')}T12:00:00Z`, 'UTC', format, language);
}

/** Formats a time zone as its city, such as `London`, or as its offset. */
export function formatZone(timeZone: string): string {
  return formatFullZone(timeZone).split('/').at(-1)!.replaceAll('_', ' ');
}

/**
 * Formats a time zone as its name, such as `Europe/London`. `Etc/GMT+5` becomes `UTC-05:00`, because the sign in these
 * names is the opposite of that in an offset.
 */
export function formatFullZone(timeZone: string): string {
  const [, sign, hours] = /^Etc\/GMT([+-])(\d+)$/i.exec(timeZone) ?? [];
  if (hours === undefined) return timeZone;
  return `UTC${sign === '+' && hours !== '0' ? '-' : '+'}${hours.padStart(2, '0')}:00`;
}

/** Returns milliseconds since 1970, the form that `Intl` accepts. */
function toMilliseconds(at: string): number {
  // eslint-disable-next-line no-restricted-globals -- Browsers without Temporal have no other way to parse an instant.
  return Date.parse(at);
}
