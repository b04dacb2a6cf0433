/** One stretch of time with one offset, as RFC 5545, section 3.6.5, writes it. */
type Observance = { startsAt: Temporal.PlainDateTime; offsetFrom: string; offsetTo: string; isDaylight: boolean };

/**
 * The VTIMEZONE of an IANA zone, right from the first to the last of the two instants. It says the changes
 * of the clocks one by one, from the same data by which Sessions were given their instants: a rule for all
 * years would be wrong wherever a country has changed its mind.
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

/** What begins with a change of the clocks; its start is told on the clock as it was before. */
function toObservance(transition: Temporal.ZonedDateTime): Observance {
  const last = transition.subtract({ nanoseconds: 1 });
  const gained = transition.offsetNanoseconds - last.offsetNanoseconds;
  const startsAt = transition.toPlainDateTime().subtract({ nanoseconds: gained });
  return { startsAt, offsetFrom: last.offset, offsetTo: transition.offset, isDaylight: gained > 0 };
}

/** A zone that has no change before that moment. */
function constantObservance(moment: Temporal.ZonedDateTime): Observance {
  const { offset } = moment;
  return { startsAt: moment.toPlainDateTime(), offsetFrom: offset, offsetTo: offset, isDaylight: false };
}
