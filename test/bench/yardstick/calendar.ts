/* The product's rules for local times, zones and instants, with as few Temporal operations as possible. */

export type Slot = { date: string; time: string; startsAt: Temporal.Instant };

export function computeSlot(planned: Temporal.PlainDateTime, timeZone: string): Slot {
  const text = planned.toString({ smallestUnit: 'minute' });
  return { date: text.slice(0, 10), time: text.slice(11), startsAt: planned.toZonedDateTime(timeZone).toInstant() };
}

/** Parses the date and time of a validated request. */
export function parsePlannedTime(date: string, time: string): Temporal.PlainDateTime {
  return Temporal.PlainDateTime.from(`${date.replaceAll('/', '-')}T${time}`);
}

export function formatIso(instant: Temporal.Instant): string {
  return new Date(instant.epochMilliseconds).toISOString();
}

/** Formats an instant for responses: local date and time in a zone. */
export function formatWallClock(instant: Temporal.Instant, timeZone: string): { date: string; time: string } {
  const text = instant.toZonedDateTimeISO(timeZone).toPlainDateTime().toString({ smallestUnit: 'minute' });
  return { date: text.slice(0, 10).replaceAll('-', '/'), time: text.slice(11) };
}

/** Returns the zone of the `offset` header (minutes east), or undefined if the header is absent. */
export function parseOffsetZone(header: unknown): string | undefined {
  if (header === undefined) return undefined;
  const minutes = Number(header);
  const pad = (part: number) => String(Math.trunc(part)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${pad(Math.abs(minutes) / 60)}:${pad(Math.abs(minutes) % 60)}`;
}

const EARLIEST = Temporal.Instant.from('0001-01-01T00:00:00Z').epochMilliseconds;
const LATEST = Temporal.Instant.from('9999-12-31T23:59:59.999Z').epochMilliseconds;

export function isStorableText({ epochMilliseconds }: Temporal.Instant): boolean {
  return epochMilliseconds >= EARLIEST && epochMilliseconds <= LATEST;
}
