import type { Reminder } from '../../reminder/index.js';
import type { ConflictList } from '../../shared/errors/index.js';
import { toSeriesChange, type SeriesChange } from './dto/series-change.js';
import type { Homework } from '../domain/homework.entity.js';
import type { InsertedSession } from './series-writer.js';
import type { SessionSeries } from '../domain/session-series.entity.js';
import type { Session } from '../domain/session.entity.js';
import { findReminderWarnings } from './reminder-warnings.js';
import { findTimeWarnings, type ScheduleWarning } from '../domain/time-warnings.js';

export type { SeriesChange } from './dto/series-change.js';

type Context = ConflictList & {
  warnings: ScheduleWarning[];
  /** All Sessions of the series, where its homework has reminders. */
  members: readonly Session[];
  /** Sessions that a dry run has made, so that their ids mean nothing. */
  hidden: ReadonlySet<number>;
  /** The same of the series itself. */
  isNew: boolean;
  now: Temporal.Instant;
};

/** What belongs to Sessions. */
export type SessionDetails = { homework: readonly Homework[]; reminders: readonly Reminder[] };

/** Tells what a change has made of Sessions of a series: what was written, a dry run alike. */
export function reportOf(
  series: SessionSeries,
  sessions: readonly Session[],
  { homework, reminders }: SessionDetails,
  context: Context,
): SeriesChange {
  const warnings = [
    ...context.warnings,
    ...findTimeWarnings(sessions),
    ...findReminderWarnings(reminders, sessions, context.members, context.now),
  ];
  return toSeriesChange(series, sessions, { ...context, warnings, homework, reminders });
}

export function sessionDetailsOf(written: readonly InsertedSession[]): SessionDetails {
  const given = written.flatMap(({ homework }) => homework);
  return {
    homework: given.map(({ homework }) => homework),
    reminders: [...written, ...given].flatMap(({ reminders }) => reminders),
  };
}
