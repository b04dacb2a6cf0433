import { Type } from '@mikro-orm/core';

/** `timestamptz` as Temporal.Instant: always UTC, never a Date. Millisecond precision is what we keep. */
export class InstantType extends Type<Temporal.Instant | null | undefined, string | null | undefined> {
  override convertToDatabaseValue(value: Temporal.Instant | null | undefined): string | null | undefined {
    return value == null ? value : formatInstant(value);
  }

  override convertToJSValue(value: Temporal.Instant | string | null | undefined): Temporal.Instant | null | undefined {
    if (value == null || value instanceof Temporal.Instant) return value;
    return Temporal.Instant.from(value);
  }

  override getColumnType(): string {
    return 'timestamptz(3)';
  }

  override compareAsType(): string {
    return 'string';
  }
}

const EARLIEST = Temporal.Instant.from('0001-01-01T00:00:00Z');
const LATEST = Temporal.Instant.from('9999-12-31T23:59:59.999Z');

/** Years 1 to 9999, which every part of the system writes the same way. */
export function isStorable(instant: Temporal.Instant): boolean {
  return Temporal.Instant.compare(instant, EARLIEST) >= 0 && Temporal.Instant.compare(instant, LATEST) <= 0;
}

/** ISO 8601 in UTC with milliseconds, as every instant is written in answers. */
export function formatInstant(instant: Temporal.Instant): string {
  return instant.toString({ fractionalSecondDigits: 3 });
}
