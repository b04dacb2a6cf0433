import type { Session } from '@care-scheduling/client';
import { useEffect, useRef } from 'preact/hooks';
import { appearance } from '../../app/appearance.js';
import { useStore } from '../../app/store.js';
import { useText } from '../../text/text.js';
import { getCurrentTime, getToday } from '../../ui/time/clock.js';
import { formatDate, formatInstant, formatZone, Icon } from '../../ui/index.js';
import { clientRecordText, type ClientRecordText } from '../client-record.text.js';
import { SESSION_DISPLAY_ICONS, toSessionDisplayStatus, SESSION_DISPLAY_TONES } from '../session-display.js';
import { toWeekColumns, type WeekOrGap } from './week-columns.js';

type SeriesWeeksProps = { title: string; sessions: readonly Session[]; onOpen: (session: Session) => void };

/** Shows the calendar weeks of a series in a row. Each Session is a button that opens its dialog. */
export function SeriesWeeks({ title, sessions, onOpen }: SeriesWeeksProps) {
  const text = useText(clientRecordText);
  const list = useRef<HTMLOListElement>(null);
  const columns = toWeekColumns(sessions, getToday(sessions[0]!.timeZone));
  useEffect(() => {
    const { current } = list;
    const week = current?.querySelector<HTMLElement>('[data-current]');
    if (current && week) current.scrollLeft = week.offsetLeft - current.clientWidth / 3;
  }, []);
  return (
    <ol class="client-weeks" ref={list} aria-label={text.weeks(title)}>
      {columns.map((column) => (
        <Week key={column.monday} column={column} onOpen={onOpen} />
      ))}
    </ol>
  );
}

function Week({ column, onOpen }: { column: WeekOrGap<Session>; onOpen: (session: Session) => void }) {
  const text = useText(clientRecordText);
  const { language } = useStore(appearance);
  const { kind, isCurrent, monday } = column;
  return (
    <li class={`client-week client-week-${kind}`} data-current={isCurrent || undefined}>
      {isCurrent && <span class="client-week-now">{text.thisWeek}</span>}
      {kind === 'gap' ? (
        <span class="client-week-empty">{text.emptyWeeks(column.weeks)}</span>
      ) : column.sessions.length === 0 ? (
        <span class="client-week-empty">
          <span>{formatDate(monday, 'date', language)}</span>
          <span>{text.noSessionThisWeek}</span>
        </span>
      ) : (
        column.sessions.map((session) => <Mark key={session.id} session={session} onOpen={onOpen} />)
      )}
    </li>
  );
}

function Mark({ session, onOpen }: { session: Session; onOpen: (session: Session) => void }) {
  const text = useText(clientRecordText);
  const { language } = useStore(appearance);
  const { date, progress, startsAt, timeZone } = session;
  const look = toSessionDisplayStatus(session, getCurrentTime());
  return (
    <button
      type="button"
      class={`client-mark client-mark-${look.toLowerCase()} tone-${SESSION_DISPLAY_TONES[look]}`}
      onClick={() => onOpen(session)}
    >
      <span class="client-mark-place">{describeSessionPosition(session, text)}</span>
      <span class="client-mark-sign">
        <Icon name={SESSION_DISPLAY_ICONS[look]} size={18} />
      </span>
      <span class="client-mark-date">{formatDate(date, 'date', language)}</span>
      <span class="client-mark-time">
        {formatInstant(startsAt, timeZone, 'time', language)}
        <span class="visually-hidden"> {formatZone(timeZone)}</span>
      </span>
      <span class="client-mark-status">{text.statuses[look]}</span>
      {progress.total > 0 && (
        <span class="client-mark-homework">
          <Icon name="book" size={14} />
          <span class="visually-hidden">{text.homework} </span>
          {progress.done}/{progress.total}
        </span>
      )}
    </button>
  );
}

/** Returns the week of the plan or, without a plan, the number of the Session in its series, such as “Session 3”. */
export function describeSessionPosition(
  { planWeek, position }: Pick<Session, 'planWeek' | 'position'>,
  text: ClientRecordText,
): string {
  return planWeek === null ? text.position(position) : text.planWeek(planWeek);
}
