import type { PlannedSession, SeriesChange, WeekSession } from '@care-scheduling/client';
import type { UseQueryResult } from '@tanstack/preact-query';
import { useText } from '../../text/text.js';
import { ErrorState, Icon, Notice, Skeleton, Time, Timeline, type TimelineItem } from '../../ui/index.js';
import { SESSION_STATUS_ICONS, SESSION_STATUS_TONES } from '../session-marks.js';
import { useSeriesBeforeMove } from '../week-data.js';
import { weekText, type WeekTexts } from '../week.text.js';
import { listPlannedReminders } from './planned-reminders.js';

type PreviewProps = { session: WeekSession; preview: UseQueryResult<SeriesChange>; isReady: boolean };

/** Shows the effects of a move: Sessions, homework and reminders with local times, overlaps and warnings. */
export function MovePreview({ session, preview, isReady }: PreviewProps) {
  const text = useText(weekText);
  const before = useSeriesBeforeMove(session.seriesId).data;
  if (!isReady) return <p class="week-preview-hint quiet">{text.unchanged}</p>;
  if (preview.isError) return <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />;
  if (preview.data === undefined) return <Skeleton rows={3} />;
  const change = preview.data;
  const earlier = new Map(before?.sessions.map(({ id, startsAt }) => [id, startsAt]));
  const titles = new Map(
    before?.sessions.flatMap(({ books = [] }) => books.map(({ id, title }) => [id, title] as const)),
  );
  return (
    <section class="week-preview" aria-busy={preview.isPlaceholderData}>
      <h3>{text.preview}</h3>
      <Warnings change={change} zone={session.timeZone} />
      {change.sessions.length === 0 ? (
        <p class="quiet">{text.noChange}</p>
      ) : (
        <Timeline label={text.preview} items={change.sessions.map((one) => toItem(one, { text, earlier, titles }))} />
      )}
    </section>
  );
}

function Warnings({ change: { warnings, conflicts, conflictCount }, zone }: { change: SeriesChange; zone: string }) {
  const text = useText(weekText);
  const shown = conflicts.slice(0, 5);
  return (
    <>
      {conflictCount > 0 && (
        <Notice tone="danger" title={text.conflictsFound(conflictCount)}>
          <ul class="week-plain small">
            {shown.map(({ position, otherSessionId, otherStartsAt, otherEndsAt, with: kind }) => (
              <li key={`${position} ${otherSessionId}`}>
                {text.conflictAt(position)}: {text.overlapWith[kind]}
                {', '}
                <Time at={otherStartsAt} to={otherEndsAt} zone={zone} />
              </li>
            ))}
          </ul>
          {conflictCount > shown.length && <p class="small">{text.moreConflicts(conflictCount - shown.length)}</p>}
        </Notice>
      )}
      {warnings.length > 0 && (
        <Notice tone="attention" title={text.warnings}>
          <ul class="week-plain small">
            {warnings.map(({ kind, detail, position }) => (
              <li key={`${kind} ${position} ${detail}`}>
                <strong>{text.warningKinds[kind]}</strong>
                {position !== undefined && ` · ${text.sessionNumber(position)}`}
                <span class="week-warning-detail" lang="en">
                  {detail}
                </span>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

type Context = { text: WeekTexts; earlier: ReadonlyMap<number, string>; titles: ReadonlyMap<number, string> };

function toItem(session: PlannedSession, { text, earlier, titles }: Context): TimelineItem {
  const { id, position, title, startsAt, endsAt, timeZone, status, homework } = session;
  const old = id === null ? undefined : earlier.get(id);
  const reminders = listPlannedReminders(session);
  return {
    key: position,
    icon: SESSION_STATUS_ICONS[status],
    tone: SESSION_STATUS_TONES[status],
    when: (
      <>
        {old !== undefined && old !== startsAt && (
          <>
            <span class="week-was">
              <span class="visually-hidden">{text.wasAt} </span>
              <del>
                <Time at={old} zone={timeZone} showsZone={false} />
              </del>
            </span>{' '}
            <Icon name="arrow" size={14} />{' '}
          </>
        )}
        <strong class="week-now">
          <Time at={startsAt} to={endsAt} zone={timeZone} />
        </strong>
      </>
    ),
    title: `${text.sessionNumber(position)} · ${title}`,
    detail: (
      <>
        {homework.length > 0 && (
          <p class="week-line">
            <Icon name="book" size={15} />
            <span>{homework.map(({ bookId }) => titles.get(bookId) ?? text.homework).join(', ')}</span>
          </p>
        )}
        {reminders.map(({ key, bookId, recipient, dueAt, zone, status: state }) => (
          <p key={key} class="week-line">
            <Icon name="bell" size={15} />
            <span>
              <Time at={dueAt} zone={zone} /> · {text.reminderOf[recipient]}
              {bookId !== undefined && ` · ${titles.get(bookId) ?? text.homework}`}
              {state !== 'PENDING' && ` · ${text.reminderStatuses[state]}`}
            </span>
          </p>
        ))}
      </>
    ),
  };
}
