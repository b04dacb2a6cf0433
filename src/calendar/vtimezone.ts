/** A period with one UTC offset (RFC 5545, section 3.6.5). */
type Observance = { startsAt: Temporal.PlainDateTime; offsetFrom: string; offsetTo: string; isDaylight: boolean };

/**
 * Formats the VTIMEZONE of an IANA zone, valid between two instants. Each offset change is listed instead of a yearly
 * rule, because countries change their rules. The changes come from the same time zone data as the instants of
 * Sessions.
 */
export function formatVtimezone(timeZone: string, from: Temporal.Instant, to: Temporal.Instant): string {
  const lines = findObservances(timeZone, from, to).flatMap((observance) => {
    const kind = observance.isDaylight ? 'DAYLIGHT' : 'STANDARD';
    return [
      `BEGIN:${kind}`,
      `DTSTART:${observance.startsAt.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '')}`,
      `TZOFFSETFROM:${observance.offsetFrom.replaceAll(':', '')}`,
      `TZOFFSETTO:${observance.offsetTo.replaceAll(':', '')}`,
      `END:${kind}`,
    ];
  });
  return ['BEGIN:VTIMEZONE', `TZID:${timeZone}`, ...lines, 'END:VTIMEZONE', ''].join('\r\n');
}

function findObservances(timeZone: string, from: Temporal.Instant, to: Temporal.Instant): Observance[] {
  const start = from.toZonedDateTimeISO(timeZone);
  const before = start.getTimeZoneTransition('previous');
  const observances = [before === null ? constantObservance(start) : toObservance(before)];
  let next = (before ?? start).getTimeZoneTransition('next');
  while (next !== null && Temporal.Instant.compare(next.toInstant(), to) <= 0) {
    observances.push(toObservance(next));
    next = next.getTimeZoneTransition('next');
  }
  return observances;
}

/** Returns the observance that begins with a transition. Its start is the local time at the previous offset. */
function toObservance(transition: Temporal.ZonedDateTime): Observance {
  const last = transition.subtract({ nanoseconds: 1 });
  const gained = transition.offsetNanoseconds - last.offsetNanoseconds;
  const startsAt = transition.toPlainDateTime().subtract({ nanoseconds: gained });
  return { startsAt, offsetFrom: last.offset, offsetTo: transition.offset, isDaylight: gained > 0 };
}

/** Returns an observance with a constant offset, for a zone without an earlier transition. */
function constantObservance(moment: Temporal.ZonedDateTime): Observance {
  const { offset } = moment;
  return { startsAt: moment.toPlainDateTime(), offsetFrom: offset, offsetTo: offset, isDaylight: false };
}
