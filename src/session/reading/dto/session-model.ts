import { z } from 'zod';
import { scheduleConflictSchema, countHomeworkProgress, homeworkProgressSchema } from '../../../directory/index.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate } from '../../../shared/time/index.js';
import { conflictCountSchema, MAX_LISTED_CONFLICTS } from '../../scheduling/schedule-conflict.js';
import { longId, syncPageSchema } from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';
import { CANCEL_REASONS, SESSION_STATUSES } from '../../domain/session-status.js';
import type { Session } from '../../domain/session.entity.js';
import { sessionIncludeShape } from '../../include/included-fields.js';
import {
  localDateSchema,
  localTimeSchema,
  timeZoneSchema,
  utcInstantSchema,
} from '../../scheduling/dto/planned-reminder.js';

/* The response model of a Session (docs/decisions.md, "Paths, lists and models"). */

const homeworkOfSession = z
  .object({
    id: longId('Id of the record.'),
    bookId: longId('The Book.'),
    completedAt: z.string().nullable().meta({
      description: 'Time of completion by the Client. Null if it is not completed.',
      example: null,
    }),
  })
  .meta({ id: 'SessionHomework', description: 'A Book of a Session, and whether the Client has completed it.' });

export const sessionSchema = z
  .object({
    id: longId('Id of the record.'),
    seriesId: z.uuid().meta({
      description: 'The Sessions that one request has created are one series.',
      example: '019abcde-0000-7000-8000-000000000000',
    }),
    clinicId: longId('The Clinic.'),
    caregiverId: longId('The Care Provider.'),
    clientId: longId('The Client.'),
    designPlanId: longId('The Design Plan that was applied, or that the creation named.').nullable(),
    title: z.string().meta({ description: 'Title.', example: 'First appointment' }),
    description: z.string().nullable().meta({ description: 'Purpose.', example: 'Getting to know each other' }),
    date: localDateSchema,
    time: localTimeSchema,
    timeZone: timeZoneSchema,
    startsAt: utcInstantSchema('Start.'),
    status: z.enum(SESSION_STATUSES).meta({ description: 'State of the Session.', example: 'SCHEDULED' }),
    remindDays: z
      .int()
      .nullable()
      .meta({ description: 'Days from the creation of a Session to its reminders, or null.', example: 7 }),
    createdAt: z.string().meta({ description: 'Creation time.', example: '2026-11-21T09:00:00.000Z' }),
    homework: z.array(homeworkOfSession).meta({ description: 'Homework of this Session.' }),
    progress: homeworkProgressSchema,
    position: z.int().meta({
      description:
        'Position in the series by start, from 1. It does not change when Sessions move, but with a revision of the plan that adds or removes weeks.',
      example: 1,
    }),
    planWeek: z.int().nullable().meta({ description: '`ordering` of the plan week, or null.', example: 1 }),
    durationMinutes: z.int().meta({ description: 'Duration in minutes.', example: 50 }),
    endsAt: z.string().meta({ description: 'End.', example: '2027-03-28T09:20:00.000Z' }),
    cancellation: z
      .object({
        reason: z.enum(CANCEL_REASONS).meta({ description: 'The reason.', example: 'CLIENT_REQUEST' }),
        note: z.string().nullable().meta({ description: 'The reason as text.', example: 'On holiday' }),
      })
      .nullable()
      .meta({ description: 'Reason of the cancellation. Null if the Session is not cancelled.', example: null }),
    statusChangedAt: z.string().nullable().meta({
      description: 'Time of the last status change. Null if the status has never changed.',
      example: null,
    }),
    version: z.int().meta({ description: 'Increases with each change: the `ETag`, for `If-Match`.', example: 1 }),
    ...sessionIncludeShape,
  })
  .meta({ id: 'Session', description: 'One appointment of a Client with a Care Provider.' });

export type SessionModel = z.output<typeof sessionSchema>;
export const sessionPageSchema = syncPageSchema(sessionSchema, 'SessionPage');

export const sessionWithConflictsSchema = sessionSchema
  .extend({
    conflicts: z.array(scheduleConflictSchema).meta({
      description: `Overlaps with other Sessions of the Care Provider or Client, at most ${MAX_LISTED_CONFLICTS}.`,
    }),
    conflictCount: conflictCountSchema,
  })
  .meta({ id: 'SessionDetail', description: 'One appointment, with its overlaps.' });
export type SessionWithConflicts = z.output<typeof sessionWithConflictsSchema>;

/** @param remindDays the `remindDays` setting of the Session's series */
export function toSessionModel(
  session: Readonly<Session>,
  homework: readonly Homework[],
  remindDays: number | null,
): SessionModel {
  const { id, seriesId, clinicId, caregiverId, clientId, designPlanId, title, description, timeZone } = session;
  const { status, position, planWeek, durationMinutes, version } = session;
  return {
    ...{ id, seriesId, clinicId, caregiverId, clientId, designPlanId, title, description, timeZone },
    ...{ status, remindDays, position, planWeek, durationMinutes, version },
    date: formatSlashDate(session.plannedDate),
    time: session.plannedTime,
    startsAt: formatInstant(session.startsAt),
    endsAt: formatInstant(session.endsAt),
    createdAt: formatInstant(session.createdAt),
    statusChangedAt: session.statusChangedAt && formatInstant(session.statusChangedAt),
    cancellation: session.cancelReason && { reason: session.cancelReason, note: session.cancelNote },
    homework: homework.map(({ id, bookId, completedAt }) => ({
      id,
      bookId,
      completedAt: completedAt && formatInstant(completedAt),
    })),
    progress: countHomeworkProgress(homework),
  };
}
