/** The kinds of data for which a Clinic can choose a retention period. */
export const RETENTION_KINDS = ['sessions', 'homework', 'reminders', 'audit'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/** How long a kind of data is kept; null means without a limit. */
export type RetentionPeriod = Temporal.Duration | null;

/** The text for a period without a limit, in requests, variables and the database. */
export const UNLIMITED_PERIOD = 'UNLIMITED';
/** A period has only one unit, so that people can easily compare two periods. */
export const RETENTION_PERIOD_PATTERN = /^(?:P[1-9]\d{0,2}Y|P[1-9]\d{0,3}M|P[1-9]\d{0,4}D)$/;

/** @param text an ISO 8601 duration of years, months or days, or UNLIMITED */
export function parseRetentionPeriod(text: string): RetentionPeriod {
  return text === UNLIMITED_PERIOD ? null : Temporal.Duration.from(text);
}

export function formatRetentionPeriod(period: RetentionPeriod): string {
  return period === null ? UNLIMITED_PERIOD : period.toString();
}

/** Compares the lengths of two periods. Both are taken to end today, because months and years vary in length. */
export function compareRetentionPeriods(
  one: RetentionPeriod,
  other: RetentionPeriod,
  today: Temporal.PlainDate,
): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return Temporal.PlainDate.compare(today.subtract(other), today.subtract(one));
}

export function getShorterRetentionPeriod(one: RetentionPeriod, other: RetentionPeriod, today: Temporal.PlainDate) {
  return compareRetentionPeriods(one, other, today) <= 0 ? one : other;
}

/**
 * Returns the instant before which data is no longer kept: the start of a day in the Clinic's time zone. Returns
 * undefined if the period has no limit.
 */
export function findRetentionLimit(
  period: RetentionPeriod,
  timeZone: string,
  now: Temporal.Instant,
): Temporal.Instant | undefined {
  return period === null
    ? undefined
    : now.toZonedDateTimeISO(timeZone).startOfDay().subtract(period).startOfDay().toInstant();
}
