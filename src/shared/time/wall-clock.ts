/** A date and time in a request: a local time without a time zone, or an exact instant. */
export type ParsedDateTime = Temporal.PlainDateTime | Temporal.Instant;

/** Parses `yyyy/MM/dd`. Returns undefined for dates that do not exist and for the year 0000. */
export function parseSlashDate(value: string): Temporal.PlainDate | undefined {
  const match = /^(\d{4})\/(\d{2})\/(\d{2})$/.exec(value);
  return match ? toPlainDate(Number(match[1]), Number(match[2]), Number(match[3])) : undefined;
}

const CLOCK_TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/**
 * Whether `parseClockTime` would accept a text. This check is faster, because it creates no object; a plan can contain
 * a hundred clock times.
 */
export function isClockTime(value: string): boolean {
  return CLOCK_TIME.test(value);
}

/** Parses `HH:mm` on a 24-hour clock. */
export function parseClockTime(value: string): Temporal.PlainTime | undefined {
  const match = CLOCK_TIME.exec(value);
  return match ? new Temporal.PlainTime(Number(match[1]), Number(match[2])) : undefined;
}

/**
 * Parses the formats of `createdDate` (docs/decisions.md, "Design Plans"): `yyyy/MM/dd HH:mm`, `yyyy/MM/dd`,
 * `d/M/yy h:mm AM|PM`, and an ISO 8601 date-time with or without an offset.
 */
export function parseDateTime(value: string): ParsedDateTime | undefined {
  return parseSlashDateTime(value) ?? parseShortDateTime(value) ?? parseIsoDateTime(value);
}

/**
 * Converts a parsed date and time to an instant. A local time that a clock change skips moves forward by the length of
 * the gap. If a local time occurs twice, the first occurrence is used (Temporal's `compatible` disambiguation).
 */
export function toInstant(moment: ParsedDateTime, zone: string): Temporal.Instant {
  return moment instanceof Temporal.Instant ? moment : moment.toZonedDateTime(zone).toInstant();
}

/** Formats a date, or an ISO 8601 date from the database, as `yyyy/MM/dd`. */
export function formatSlashDate(date: Temporal.PlainDate | string): string {
  return date.toString().replaceAll('-', '/');
}

/**
 * Formats a local date and time as an ISO 8601 date and `HH:mm`. Calls `toString()` only once for both, because an
 * applied plan has hundreds of reminders.
 */
export function formatLocalDateTime(moment: Temporal.PlainDateTime | Temporal.ZonedDateTime): {
  date: string;
  time: string;
} {
  // Cuts off the seconds: Temporal would round to UTC minutes, which is wrong for historical offsets with seconds.
  const [date, time] = moment.toString().split('T') as [string, string];
  return { date, time: time.slice(0, 5) };
}

/** Describes a local date and time in a text: `yyyy/MM/dd at HH:mm`. */
export function describeLocalDateTime(moment: Temporal.PlainDateTime | Temporal.ZonedDateTime): string {
  const { date, time } = formatLocalDateTime(moment);
  return `${formatSlashDate(date)} at ${time}`;
}

function parseSlashDateTime(value: string): Temporal.PlainDateTime | undefined {
  const [day = '', time = '00:00', ...rest] = value.split(' ');
  const date = parseSlashDate(day);
  const clock = parseClockTime(time);
  return date && clock && rest.length === 0 ? date.toPlainDateTime(clock) : undefined;
}

function parseShortDateTime(value: string): Temporal.PlainDateTime | undefined {
  const match = /^(\d{1,2})\/(\d{1,2})\/(\d{2}) (\d{1,2}):([0-5]\d) ?(AM|PM)$/i.exec(value);
  if (!match) return undefined;
  const [day, month, year, hour, minute] = match.slice(1, 6).map(Number) as [number, number, number, number, number];
  if (hour < 1 || hour > 12) return undefined;
  const afternoon = match[6]!.toUpperCase() === 'PM' ? 12 : 0;
  return toPlainDate(2000 + year, month, day)?.toPlainDateTime(new Temporal.PlainTime((hour % 12) + afternoon, minute));
}

function parseIsoDateTime(value: string): ParsedDateTime | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i.exec(value);
  if (!match || !toPlainDate(Number(match[1]), Number(match[2]), Number(match[3]))) return undefined;
  try {
    return match[4] ? Temporal.Instant.from(value) : Temporal.PlainDateTime.from(value);
  } catch {
    return undefined;
  }
}

function toPlainDate(year: number, month: number, day: number): Temporal.PlainDate | undefined {
  if (year < 1) return undefined;
  try {
    return new Temporal.PlainDate(year, month, day);
  } catch {
    return undefined;
  }
}
