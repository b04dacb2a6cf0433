import type { WeekSession } from '@care-scheduling/client';
import { appearance } from '../../app/appearance.js';
import { useStore } from '../../app/store.js';
import { useText } from '../../text/text.js';
import { formatInstant, Icon } from '../../ui/index.js';
import { SESSION_STATUS_ICONS, toInitials } from '../session-marks.js';
import { weekText } from '../week.text.js';

type SessionProps = { session: WeekSession; hasNames: boolean };

/** The box of a shorter Session has room for one line. */
const MIN_MINUTES_OF_TWO_LINES = 30;

/** Shows a Session on the board. Screen readers can also read the text that does not fit. */
export function BoardSession({ session, hasNames }: SessionProps) {
  const text = useText(weekText);
  const { id, status, conflicts, localStart, localEnd, client, careProvider, title, durationMinutes } = session;
  const isShort = durationMinutes < MIN_MINUTES_OF_TWO_LINES;
  return (
    <span class={`week-event-body ${isShort ? 'week-event-short' : ''}`} data-session={id}>
      <span class="week-event-line">
        <span class="week-event-time">{localStart.time}</span>
        <span class="visually-hidden">–{localEnd.time}, </span>
        {status !== 'SCHEDULED' && <Mark icon={SESSION_STATUS_ICONS[status]} text={text.statuses[status]} />}
        {conflicts.length > 0 && <Mark icon="warning" text={text.overlap} />}
        {hasNames && (
          <span class="week-initials" aria-hidden="true">
            {toInitials(careProvider.name)}
          </span>
        )}
      </span>
      <span class="week-event-who">{client.name}</span>
      <span class={isShort ? 'visually-hidden' : 'week-event-title'}>{title}</span>
      {hasNames && <span class="visually-hidden">, {careProvider.name}</span>}
    </span>
  );
}

function Mark({ icon, text }: { icon: 'warning' | (typeof SESSION_STATUS_ICONS)['PAUSED']; text: string }) {
  return (
    <span class="week-mark" title={text}>
      <Icon name={icon} size={14} />
      <span class="visually-hidden">{text}, </span>
    </span>
  );
}

/** The header of a day. @param at an instant of the day in UTC, which is the time zone that the calendar uses */
export function BoardDayHeader({ at, clockChange }: { at: string; clockChange: string | false }) {
  const { language } = useStore(appearance);
  return (
    <span class="week-day">
      <span>{formatInstant(at, 'UTC', 'date', language)}</span>
      {clockChange !== false && (
        <span class="week-day-change">
          <Icon name="clock" size={14} /> {clockChange}
        </span>
      )}
    </span>
  );
}
