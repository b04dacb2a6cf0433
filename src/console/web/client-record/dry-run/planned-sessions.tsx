import type { PlannedReminder, PlannedSession, ScheduleConflict, SeriesChange } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Badge, Icon, Time } from '../../ui/index.js';
import { OverlapNote, toOverlapKey } from './overlap-note.js';
import { listConflictsOfSession, listWarningKindsOfSession, type ScheduleWarningKind } from './schedule-notes.js';
import { scheduleChangeText } from './schedule-change.text.js';
import { SESSION_DISPLAY_ICONS, SESSION_DISPLAY_TONES } from '../session-display.js';

/** The time of a Session before a change. */
export type PreviousSessionTime = { startsAt: string; timeZone: string };

type PlannedSessionsProps = {
  change: Pick<SeriesChange, 'sessions' | 'conflicts' | 'warnings'>;
  /** Titles of Books, keyed by Book ID. */
  titles: ReadonlyMap<number, string>;
  /** Previous times by Session ID, if existing Sessions change. */
  before?: ReadonlyMap<number, PreviousSessionTime>;
};

/** The warnings that are shown next to the affected Session, in addition to the summary. */
const AT_SESSION: readonly ScheduleWarningKind[] = ['DAYLIGHT_SAVING_SHIFT', 'TIME_SKIPPED'];

/** Lists the Sessions of a dry run or of a change, with their homework and reminders. */
export function PlannedSessions({ change: { sessions, conflicts, warnings }, titles, before }: PlannedSessionsProps) {
  const text = useText(scheduleChangeText);
  return (
    <ol class="planned" aria-label={text.list}>
      {sessions.map((session) => (
        <Planned
          key={session.position}
          session={session}
          titles={titles}
          before={session.id === null ? undefined : before?.get(session.id)}
          isFolded={before !== undefined}
          conflicts={listConflictsOfSession(conflicts, session.position)}
          warnings={listWarningKindsOfSession(warnings, session.position).filter((kind) => AT_SESSION.includes(kind))}
        />
      ))}
    </ol>
  );
}

type PlannedProps = {
  session: PlannedSession;
  titles: ReadonlyMap<number, string>;
  before: PreviousSessionTime | undefined;
  isFolded: boolean;
  conflicts: readonly ScheduleConflict[];
  warnings: readonly ScheduleWarningKind[];
};

function Planned({ session, titles, before, isFolded, conflicts, warnings }: PlannedProps) {
  const text = useText(scheduleChangeText);
  const { startsAt, endsAt, timeZone, planWeek, position, status, homework, reminders } = session;
  const count = reminders.length + homework.reduce((sum, one) => sum + one.reminders.length, 0);
  const content = <Content session={session} titles={titles} />;
  return (
    <li class="planned-session">
      {warnings.map((kind) => (
        <p key={kind} class="planned-clock small">
          <Icon name="clock" size={16} />
          <span>{text.warnings[kind]}</span>
        </p>
      ))}
      <span class={`planned-mark tone-${SESSION_DISPLAY_TONES[status]}`}>
        <Icon name={SESSION_DISPLAY_ICONS[status]} size={18} />
      </span>
      <div class="planned-body">
        <p class="planned-place small quiet">
          {planWeek === null ? text.place(position) : text.planWeek(planWeek)}{' '}
          {status !== 'SCHEDULED' && <Badge tone={SESSION_DISPLAY_TONES[status]}>{text.statuses[status]}</Badge>}
          {isFolded && before === undefined && <Badge tone="good">{text.isNew}</Badge>}
        </p>
        {before !== undefined && before.startsAt !== startsAt && (
          <del class="planned-before">
            <span class="visually-hidden">{text.before}: </span>
            <Time at={before.startsAt} zone={before.timeZone} showsZone={false} />
          </del>
        )}
        <p class="planned-when">
          <Time at={startsAt} to={endsAt} zone={timeZone} />
        </p>
        {conflicts.map((conflict) => (
          <OverlapNote key={toOverlapKey(conflict)} conflict={conflict} zone={timeZone} format="time" />
        ))}
        {isFolded ? (
          <details class="planned-fold">
            <summary class="small">{text.details(homework.length, count)}</summary>
            {content}
          </details>
        ) : (
          content
        )}
      </div>
    </li>
  );
}

function Content({ session, titles }: { session: PlannedSession; titles: ReadonlyMap<number, string> }) {
  const text = useText(scheduleChangeText);
  const { homework, reminders, timeZone } = session;
  const ofClient = reminders.filter(({ recipient }) => recipient === 'CLIENT');
  const ofCareProvider = reminders.filter(({ recipient }) => recipient === 'CARE_PROVIDER');
  return (
    <ul class="planned-lines small">
      {homework.map((one) => (
        <Line
          key={one.bookId}
          icon="book"
          label={titles.get(one.bookId) ?? text.book(one.bookId)}
          reminders={one.reminders}
          zone={timeZone}
        />
      ))}
      {ofClient.length > 0 && <Line icon="bell" label={text.toClient} reminders={ofClient} zone={timeZone} />}
      {ofCareProvider.length > 0 && (
        <Line icon="bell" label={text.toCareProvider} reminders={ofCareProvider} zone={timeZone} />
      )}
    </ul>
  );
}

type LineProps = { icon: 'book' | 'bell'; label: string; reminders: readonly PlannedReminder[]; zone: string };

/** Shows a Book or a recipient in one line, with the times of its reminders. */
function Line({ icon, label, reminders, zone }: LineProps) {
  const text = useText(scheduleChangeText);
  return (
    <li class="planned-line">
      <Icon name={icon} size={16} />
      <span class="planned-label">{label}</span>
      <span class="planned-times">
        {reminders.length === 0 && <span class="quiet">{text.noReminders}</span>}
        {reminders.map((reminder, index) => (
          <ReminderTime key={index} reminder={reminder} zone={zone} showsBell={icon === 'book'} />
        ))}
      </span>
    </li>
  );
}

type ReminderTimeProps = { reminder: PlannedReminder; zone: string; showsBell: boolean };

function ReminderTime({ reminder: { dueAt, timeZone, status }, zone, showsBell }: ReminderTimeProps) {
  const text = useText(scheduleChangeText);
  const isSent = status !== 'SKIPPED' && status !== 'WITHDRAWN' && status !== 'DEAD';
  return (
    <span class={isSent ? 'planned-time' : 'planned-time planned-time-off'}>
      {showsBell && <Icon name="bell" size={12} />}
      <Time at={dueAt} zone={timeZone} showsZone={timeZone !== zone} />
      {!isSent && ` (${text.notSent})`}
    </span>
  );
}
