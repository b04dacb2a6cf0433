/**
 * True for the name of an IANA time zone. Bare offsets are zones to Temporal, but a Clinic or a
 * person lives in a place, whose offset changes through the year.
 */
export function isTimeZone(name: string): boolean {
  if (validTimeZones.has(name)) return true;
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return false;
  }
  if (validTimeZones.size >= MAX_CACHED_ZONES) validTimeZones.clear();
  validTimeZones.add(name);
  return true;
}

/** Kept, as to ask takes long, and it is asked with every reminder. */
const validTimeZones = new Set<string>();
/** There are some 600 names; the case of their letters does not matter, so that callers could send more. */
const MAX_CACHED_ZONES = 1_000;

/** The zone of a fixed offset, minutes east of UTC: 330 is `+05:30`. */
export function toOffsetZone(minutes: number): string {
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${pad(hours)}:${pad(rest)}`;
}

/** The UTC offset of a zone at an instant, as `+01:00`. */
export function getUtcOffset(instant: Temporal.Instant, timeZone: string): string {
  return instant.toZonedDateTimeISO(timeZone).offset;
}

/** True for the zone of a fixed offset, as `offsetZone` names it. */
export function isFixedOffset(timeZone: string): boolean {
  return /^[+-]/.test(timeZone);
}
