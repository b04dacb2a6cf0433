import ical, {
  ICalCalendarMethod,
  ICalEventClass,
  ICalEventStatus,
  type ICalCalendarData,
  type ICalEventData,
} from 'ical-generator';
import type { Session } from '../session/index.js';
import { isTimeZone } from '../shared/time/index.js';
import { getCalendarTexts } from './calendar-texts.js';
import { foldContentLines } from './content-line.js';
import type { TitleVisibility } from './title-visibility.js';
import { formatVtimezone } from './vtimezone.js';

/** Title visibility, the locale of the reader, and the host name that makes the UIDs unique. */
type CalendarFormatOptions = { titles: TitleVisibility; locale: string | null; host: string };

/** Refresh interval that the feed suggests to calendar programs. */
const REFRESH_SECONDS = 60 * 60;

/** The last line of a calendar. */
const END = 'END:VCALENDAR';

const STATUSES: Readonly<Record<Session['status'], ICalEventStatus>> = {
  SCHEDULED: ICalEventStatus.CONFIRMED,
  PAUSED: ICalEventStatus.TENTATIVE,
  COMPLETED: ICalEventStatus.CONFIRMED,
  NO_SHOW: ICalEventStatus.CONFIRMED,
  CANCELLED: ICalEventStatus.CANCELLED,
};

/** Formats a feed. The same Sessions always produce the same text, so the ETag stays the same. */
export function formatCalendarFeed(sessions: readonly Session[], style: CalendarFormatOptions): string {
  // The name is neutral even with titles, because other people may see the screen.
  const { name } = getCalendarTexts(style.locale);
  return formatCalendar(sessions, style, { name, ttl: REFRESH_SECONDS });
}

/** Formats one Session for import into a calendar. */
export function formatSessionCalendar(session: Session, style: CalendarFormatOptions): string {
  return formatCalendar([session], style, {});
}

function formatCalendar(sessions: readonly Session[], style: CalendarFormatOptions, data: ICalCalendarData): string {
  const events = sessions.map((session) => toEvent(session, style));
  const prodId = { company: 'Scheduling', product: 'Calendar', language: 'EN' };
  const calendar = ical({ ...data, prodId, method: ICalCalendarMethod.PUBLISH });
  const head = calendar.toString().replace(END, '');
  const [from, to] = findTimeSpan(sessions);
  const used = events.map(({ timezone }) => timezone).filter((timeZone) => typeof timeZone === 'string');
  // A calendar must have a component (RFC 5545, section 3.6), and some programs refuse one without.
  const zones = [...new Set(events.length === 0 ? ['UTC'] : used)].map((zone) => formatVtimezone(zone, from, to));
  const components = events.map((event) => foldContentLines(calendar.createEvent(event).toString()));
  // Corrects violations of RFC 5545 by the library: the order of VTIMEZONE (3.4), the missing last line break (3.1).
  return [head, ...zones, ...components, `${END}\r\n`].join('');
}

function toEvent(session: Session, { titles, locale, host }: CalendarFormatOptions): ICalEventData {
  return {
    id: `session-${session.id}@${host}`,
    sequence: session.version - 1,
    // With the time of the request, the text and its ETag would differ each time, although nothing has changed.
    stamp: session.updatedAt,
    lastModified: session.updatedAt,
    start: session.startsAt,
    end: session.endsAt,
    timezone: findEventZone(session),
    status: STATUSES[session.status],
    // Shared calendars show other people only that the time is taken.
    class: ICalEventClass.PRIVATE,
    ...(titles === 'FULL'
      ? {
          summary: removeControlCharacters(session.title),
          description: session.description && removeControlCharacters(session.description),
        }
      : { summary: getCalendarTexts(locale).title }),
  };
}

/**
 * Returns the time zone in which a Session's times are written; null means UTC. UTC is used for fixed offsets, which
 * have no VTIMEZONE, and for local times that occur twice, which calendar programs interpret inconsistently.
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

/** Replaces control characters, which RFC 5545, section 3.3.11, does not allow in text. */
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
