import ical, {
  ICalCalendarMethod,
  ICalEventClass,
  ICalEventStatus,
  type ICalCalendarData,
  type ICalEventData,
} from 'ical-generator';
import type { Session } from '../session/index.js';
import { isTimeZone } from '../shared/time/index.js';
import type { TitleVisibility } from './title-visibility.js';
import { formatVtimezone } from './vtimezone.js';

/** Whether titles are told, and the host that makes the UIDs ours. */
export type CalendarOptions = { titles: TitleVisibility; host: string };

/** How often programs that follow a feed should ask again. */
const REFRESH_SECONDS = 60 * 60;

/** What a discreet event is called, and every calendar: a neighbour may look on. */
const NEUTRAL_TITLE = 'Appointment';

const STATUSES: Readonly<Record<Session['status'], ICalEventStatus>> = {
  SCHEDULED: ICalEventStatus.CONFIRMED,
  PAUSED: ICalEventStatus.TENTATIVE,
  COMPLETED: ICalEventStatus.CONFIRMED,
  NO_SHOW: ICalEventStatus.CONFIRMED,
  CANCELLED: ICalEventStatus.CANCELLED,
};

/** A calendar to subscribe to. The same Sessions always make the same text. */
export function formatFeed(sessions: readonly Session[], style: CalendarOptions): string {
  return formatCalendar(sessions, style, { name: `${NEUTRAL_TITLE}s`, ttl: REFRESH_SECONDS });
}

/** One Session, to be taken into a calendar once. */
export function formatSession(session: Session, style: CalendarOptions): string {
  return formatCalendar([session], style, {});
}

function formatCalendar(sessions: readonly Session[], style: CalendarOptions, data: ICalCalendarData): string {
  const events = sessions.map((session) => toEvent(session, style));
  const prodId = { company: 'Scheduling', product: 'Calendar', language: 'EN' };
  const calendar = ical({ ...data, prodId, method: ICalCalendarMethod.PUBLISH, events }).toString();
  const [from, to] = findTimeSpan(sessions);
  const zones = [...new Set(events.map((event) => event.timezone))]
    .filter((timeZone) => typeof timeZone === 'string')
    .map((timeZone) => formatVtimezone(timeZone, from, to));
  // The library would put zones before some properties, and end without an end of line: RFC 5545, sections 3.4
  // and 3.1, have it otherwise.
  return `${calendar.replace('BEGIN:VEVENT', () => `${zones.join('')}BEGIN:VEVENT`)}\r\n`;
}

function toEvent(session: Session, { titles, host }: CalendarOptions): ICalEventData {
  return {
    id: `session-${session.id}@${host}`,
    sequence: session.version - 1,
    // Of the last change and not of this request, so that a calendar without a change stays the same.
    stamp: session.updatedAt,
    lastModified: session.updatedAt,
    start: session.startsAt,
    end: session.endsAt,
    timezone: findEventZone(session),
    status: STATUSES[session.status],
    // Where calendars are shared, colleagues and family see that the time is taken, and no more.
    class: ICalEventClass.PRIVATE,
    ...(titles === 'FULL'
      ? {
          summary: removeControlCharacters(session.title),
          description: session.description && removeControlCharacters(session.description),
        }
      : { summary: NEUTRAL_TITLE }),
  };
}

/**
 * The zone in which the times of a Session are written; null: UTC. A fixed offset has no VTIMEZONE, and in
 * the hour that the clocks repeat a local time is two instants, of which programs read now one, now the other.
 */
function findEventZone({ timeZone, startsAt, endsAt }: Session): string | null {
  if (!isTimeZone(timeZone) || timeZone === 'UTC') return null;
  const isClear = [startsAt, endsAt].every((instant) => {
    const local = instant.toZonedDateTimeISO(timeZone).toPlainDateTime();
    const first = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
    return first.equals(local.toZonedDateTime(timeZone, { disambiguation: 'later' }));
  });
  return isClear ? timeZone : null;
}

/** Text without control characters: RFC 5545, section 3.3.11, has no way to write them. */
function removeControlCharacters(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\r\t]|[\u2028\u2029]/gu, ' ');
}

function findTimeSpan(sessions: readonly Session[]): [from: Temporal.Instant, to: Temporal.Instant] {
  const epoch = Temporal.Instant.fromEpochMilliseconds(0);
  const times = sessions
    .flatMap(({ startsAt, endsAt }) => [startsAt, endsAt])
    .toSorted((one, other) => Temporal.Instant.compare(one, other));
  return [times.at(0) ?? epoch, times.at(-1) ?? epoch];
}
