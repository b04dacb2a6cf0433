/**
 * Whether a text is the name of an IANA time zone. Rejects offsets, which Temporal accepts as zones, because the offset
 * of a Clinic or person can change during the year. `Intl` also accepts names of ICU such as `PST`, which Temporal does
 * not know, and Temporal also accepts times with a zone, which `Intl` does not.
 */
export function isTimeZone(name: string): boolean {
  if (validTimeZones.has(name)) return true;
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    normaliseTimeZone(name);
  } catch {
    return false;
  }
  if (validTimeZones.size >= MAX_CACHED_ZONES) validTimeZones.clear();
  validTimeZones.add(name);
  return true;
}

/** Returns the name of a time zone in its usual case: `europe/LONDON` becomes `Europe/London`. An alias stays an alias. */
export function normaliseTimeZone(name: string): string {
  return EPOCH.toZonedDateTimeISO(name).timeZoneId;
}

const EPOCH = Temporal.Instant.fromEpochMilliseconds(0);

/** Names that were found valid. They are cached because the check is slow and runs for every reminder. */
const validTimeZones = new Set<string>();
/** Maximum size of the cache. There are about 600 names, but requests could add variants in upper and lower case. */
const MAX_CACHED_ZONES = 1_000;

/** Formats an offset given in minutes east of UTC: 330 becomes `+05:30`. */
export function formatUtcOffset(minutes: number): string {
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${pad(hours)}:${pad(rest)}`;
}

/** Returns the UTC offset of a time zone at an instant, such as `+01:00`. */
export function getUtcOffset(instant: Temporal.Instant, timeZone: string): string {
  return instant.toZonedDateTimeISO(timeZone).offset;
}

/** Returns false for the name of a time zone that only another release knows, because its time zone data is newer. */
export function isSupportedZone(timeZone: string): boolean {
  return isFixedOffset(timeZone) || isTimeZone(timeZone);
}

/** Returns the local date of an instant, or the date in UTC if the time zone is not supported. */
export function toLocalDate(instant: Temporal.Instant, timeZone: string): Temporal.PlainDate {
  return instant.toZonedDateTimeISO(isSupportedZone(timeZone) ? timeZone : 'UTC').toPlainDate();
}

/** Whether a time zone is a fixed offset such as `+05:30`. */
export function isFixedOffset(timeZone: string): boolean {
  return /^[+-]/.test(timeZone);
}
