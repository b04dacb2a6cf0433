import type { Language } from '../app/appearance.js';

/* Parses the rule of a reminder, as the service returns it. */

type Unit = 'year' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second';
export type DurationPart = { count: number; unit: Unit };

export type ParsedReminderRule =
  | { kind: 'days'; days: number }
  | { kind: 'offset'; isBefore: boolean; parts: DurationPart[] }
  | { kind: 'homework'; day: number; time: string; timeZone: string }
  /** A notice that the Session was cancelled because its Client was erased. */
  | { kind: 'erased'; startsAt: string };

const UNITS: readonly Unit[] = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'];
const OFFSET =
  /^reminders ([+-]?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?)?$/i;
const HOMEWORK = /^assignReminds day (\d+) at (\d\d:\d\d) in (\S+)$/;

/** Parses a rule. Returns undefined for a rule that this console does not know. */
export function parseReminderRule(text: string): ParsedReminderRule | undefined {
  const days = /^remindDays (\d+)$/.exec(text);
  if (days !== null) return { kind: 'days', days: Number(days[1]) };
  const homework = HOMEWORK.exec(text);
  if (homework !== null)
    return { kind: 'homework', day: Number(homework[1]), time: homework[2]!, timeZone: homework[3]! };
  const erased = /^sessionErased (\S+)$/.exec(text);
  if (erased !== null) return { kind: 'erased', startsAt: erased[1]! };
  const offset = OFFSET.exec(text);
  if (offset === null) return undefined;
  const [, sign, ...counts] = offset;
  const parts = UNITS.map((unit, index) => ({ unit, count: Number(counts[index] ?? 0) }));
  return { kind: 'offset', isBefore: sign === '-', parts: parts.filter(({ count }) => count > 0) };
}

/** Formats a duration, for example “1 day and 2 hours”. */
export function describeDuration(parts: readonly DurationPart[], language: Language): string {
  const amounts = parts.map(({ count, unit }) =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count),
  );
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(amounts);
}

/** Whether the UTC offset of a time zone differs between two instants because of a clock change. */
export function hasDifferentUtcOffset(one: string, other: string, timeZone: string): boolean {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const offset = (at: string) =>
    // eslint-disable-next-line no-restricted-globals -- `Intl` accepts milliseconds, and parsing reads no clock.
    format.formatToParts(Date.parse(at)).find(({ type }) => type === 'timeZoneName')?.value;
  return offset(one) !== offset(other);
}
