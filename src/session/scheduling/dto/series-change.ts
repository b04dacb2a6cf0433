import { z } from 'zod';
import type { Reminder } from '../../../reminder/index.js';
import { scheduleConflictSchema } from '../../../directory/index.js';
import { conflictCountSchema, type ConflictList } from '../schedule-conflict.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate } from '../../../shared/time/index.js';
import { longId } from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';
import type { SessionSeries } from '../../domain/session-series.entity.js';
import { SESSION_STATUSES } from '../../domain/session-status.js';
import type { Session } from '../../domain/session.entity.js';
import {
  localDateSchema,
  localTimeSchema,
  plannedReminderSchema,
  timeZoneSchema,
  toPlannedReminder,
  utcInstantSchema,
} from './planned-reminder.js';
import { WARNING_KINDS, type ScheduleWarning } from '../../domain/schedule-warning.js';

/* The response of every operation that changes Sessions, including applying a Design Plan and dry runs. */

const version = z.int().meta({
  description: 'The version after the change, for `If-Match`. In a dry run, no Session has this version.',
  example: 2,
});

const plannedSession = z
  .object({
    id: longId('Id of the Session; null in a dry run if the Session does not exist yet.', 11).nullable(),
    version,
    position: z.int().meta({ description: 'Position in the series, from 1.', example: 1 }),
    planWeek: z.int().nullable().meta({ description: '`ordering` of the plan week, or null.', example: 1 }),
    caregiverId: longId('The Care Provider.'),
    clientId: longId('The Client.'),
    title: z.string().meta({ description: 'Title.', example: 'First appointment' }),
    description: z.string().nullable().meta({ description: 'Purpose.', example: 'Getting to know each other' }),
    date: localDateSchema,
    time: localTimeSchema,
    timeZone: timeZoneSchema,
    startsAt: utcInstantSchema('Start.'),
    endsAt: z.string().meta({ description: 'End.', example: '2027-03-28T09:20:00.000Z' }),
    durationMinutes: z.int().meta({ description: 'Duration in minutes.', example: 50 }),
    status: z.enum(SESSION_STATUSES).meta({ description: 'State of the Session.', example: 'SCHEDULED' }),
    reminders: z.array(plannedReminderSchema).meta({ description: 'Reminders of the Session itself.' }),
    homework: z
      .array(
        z.object({
          bookId: longId('The Book.'),
          completed: z.boolean().meta({ description: 'true if the Client has completed it.', example: false }),
          reminders: z.array(plannedReminderSchema).meta({ description: 'Reminders of this Book.' }),
        }),
      )
      .meta({ description: 'Homework of the Session.' }),
  })
  .meta({ id: 'PlannedSession', description: 'A Session with its homework and reminders.' });

export const scheduleWarningSchema = z
  .object({
    kind: z.enum(WARNING_KINDS).meta({ description: 'Kind of the warning.', example: 'DAYLIGHT_SAVING_SHIFT' }),
    detail: z
      .string()
      .meta({ description: 'Description of the condition.', example: 'The clock skips 01:30 that day.' }),
    position: z.int().optional().meta({ description: 'Position of the affected Session.', example: 3 }),
    planWeek: z.int().optional().meta({ description: '`ordering` of the affected plan week.', example: 3 }),
    bookId: z.int().optional().meta({ description: 'The affected Book.', example: 1 }),
  })
  .meta({ id: 'ScheduleWarning', description: 'A condition that is reported although the change is not rejected.' });

export const seriesChangeSchema = z
  .object({
    seriesId: z
      .uuid()
      .nullable()
      .meta({ description: 'The series; null in the dry run of its creation.', example: null }),
    designPlanId: longId('The Design Plan.').nullable(),
    revision: z
      .int()
      .nullable()
      .meta({ description: 'The revision of the plan that is applied, or null.', example: 1 }),
    paused: z.boolean().meta({ description: 'true while the series is paused.', example: false }),
    sessions: z.array(plannedSession).meta({
      description:
        'The Sessions that are new or changed, in the order of their start; those of which only the position has changed are in `renumbered`.',
    }),
    renumbered: z
      .array(z.object({ id: longId('Id of the record.'), version }))
      .meta({ description: 'The Sessions of which only the position has changed.' }),
    conflicts: z.array(scheduleConflictSchema).meta({ description: 'Overlaps of these Sessions with others.' }),
    conflictCount: conflictCountSchema,
    warnings: z.array(scheduleWarningSchema).meta({ description: 'Warnings about the change.' }),
  })
  .meta({ id: 'SeriesChange', description: 'The result of a change, or of its dry run.' });
export type SeriesChange = z.output<typeof seriesChangeSchema>;

/** Everything that a change has written or found, except the series and its Sessions. */
type ChangeResult = ConflictList & {
  homework: readonly Homework[];
  reminders: readonly Reminder[];
  warnings: ScheduleWarning[];
  /** Sessions of which only the position has changed. */
  renumbered: readonly Session[];
  /** IDs of Sessions that a dry run has inserted. The response shows these IDs as null. */
  rolledBackIds: ReadonlySet<number>;
  /** True if a dry run has inserted the series itself. */
  isRolledBack: boolean;
};

export function toSeriesChange(
  series: SessionSeries,
  sessions: readonly Session[],
  result: ChangeResult,
): SeriesChange {
  const { conflicts, conflictCount, warnings, rolledBackIds, isRolledBack } = result;
  const homework = Map.groupBy(result.homework, (item) => item.sessionId);
  // Reminders for removed homework have no homework ID, so they are not part of any item in the response.
  const shownReminders = result.reminders.filter(({ kind, homeworkId }) => kind !== 'HOMEWORK' || homeworkId !== null);
  const reminders = Map.groupBy(shownReminders, (item) => item.homeworkId ?? `session ${item.sessionId}`);
  return {
    seriesId: isRolledBack ? null : series.id,
    designPlanId: series.designPlanId,
    revision: series.revision,
    paused: series.isPaused,
    sessions: sessions.map((session) => ({
      id: rolledBackIds.has(session.id) ? null : session.id,
      version: session.version,
      ...toPlannedSession(session),
      reminders: (reminders.get(`session ${session.id}`) ?? []).map((item) => toPlannedReminder(item, session)),
      homework: (homework.get(session.id) ?? []).map((item) => ({
        bookId: item.bookId,
        completed: item.completedAt !== null,
        reminders: (reminders.get(item.id) ?? []).map((reminder) => toPlannedReminder(reminder, session)),
      })),
    })),
    renumbered: result.renumbered.map((session) => ({ id: session.id, version: session.version })),
    conflicts: conflicts.map(({ otherSessionId: id, ...conflict }) => ({
      ...conflict,
      otherSessionId: id !== null && rolledBackIds.has(id) ? null : id,
    })),
    conflictCount,
    warnings,
  };
}

/** Returns the version of the only Session in a change, or undefined if the change has several. */
export function findVersionOfOnlySession({ sessions: [only, ...others] }: SeriesChange): number | undefined {
  return others.length === 0 ? only?.version : undefined;
}

function toPlannedSession(session: Session) {
  const { position, planWeek, caregiverId, clientId, title, description, timeZone, durationMinutes, status } = session;
  return {
    ...{ position, planWeek, caregiverId, clientId, title, description, timeZone, durationMinutes, status },
    date: formatSlashDate(session.plannedDate),
    time: session.plannedTime,
    startsAt: formatInstant(session.startsAt),
    endsAt: formatInstant(session.endsAt),
  };
}
