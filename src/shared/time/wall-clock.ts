/** A moment as a caller wrote it: either on the wall clock of a zone yet to be known, or exact. */
export type ParsedDateTime = Temporal.PlainDateTime | Temporal.Instant;

/** `yyyy/MM/dd`, real dates only; the year 0000 is none. */
export function parseSlashDate(value: string): Temporal.PlainDate | undefined {
  const match = /^(\d{4})\/(\d{2})\/(\d{2})$/.exec(value);
  return match ? toPlainDate(Number(match[1]), Number(match[2]), Number(match[3])) : undefined;
}

const CLOCK_TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Whether it is one that `parseClockTime` reads: a plan has a hundred of them. */
export function isClockTime(value: string): boolean {
  return CLOCK_TIME.test(value);
}

/** `HH:mm` on a 24-hour clock. */
export function parseClockTime(value: string): Temporal.PlainTime | undefined {
  const match = CLOCK_TIME.exec(value);
  return match ? new Temporal.PlainTime(Number(match[1]), Number(match[2])) : undefined;
}

/**
 * The formats of `createdDate` (docs/decisions.md, "Design Plans"): `yyyy/MM/dd HH:mm`, `yyyy/MM/dd`,
 * `d/M/yy h:mm AM|PM`, and an ISO 8601 date-time with or without an offset.
 */
export function parseDateTime(value: string): ParsedDateTime | undefined {
  return parseSlashDateTime(value) ?? parseShortDateTime(value) ?? parseIsoDateTime(value);
}

/**
 * The instant of a written moment. A local time that a daylight-saving jump skips moves forward by
 * the gap; one that occurs twice is the first (Temporal's "compatible").
 */
export function toInstant(moment: ParsedDateTime, zone: string): Temporal.Instant {
  return moment instanceof Temporal.Instant ? moment : moment.toZonedDateTime(zone).toInstant();
}

/** @param date a text is one of ISO 8601, as the database keeps them */
export function formatSlashDate(date: Temporal.PlainDate | string): string {
  return date.toString().replaceAll('-', '/');
}

/**
 * The date, as ISO 8601 writes it, and the time `HH:mm` of a moment on a wall clock. One text for both: each step of
 * Temporal takes half a microsecond, and an applied plan has hundreds of reminders.
 */
export function formatWallClock(moment: Temporal.PlainDateTime | Temporal.ZonedDateTime): {
  date: string;
  time: string;
} {
  // Not rounded to minutes: that would count from the minutes of UTC, and old offsets have seconds.
  const [date, time] = moment.toString().split('T') as [string, string];
  return { date, time: time.slice(0, 5) };
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
  const match = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/i.exec(value);
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
