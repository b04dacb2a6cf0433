import { z } from 'zod';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate } from '../../../shared/time/index.js';
import { conflictCountSchema, conflictSchema } from '../../../shared/errors/index.js';
import { longId, syncPageSchema } from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';
import { CANCEL_REASONS, SESSION_STATUSES } from '../../domain/session-status.js';
import type { Session } from '../../domain/session.entity.js';
import { includedMembersShape } from '../../include/included-members.js';
import { countProgress, progressSchema } from '../../scheduling/dto/progress.js';

/* The response model of a Session (docs/decisions.md, "Paths, lists and models"). */

const homeworkOfSession = z
  .object({
    id: longId('Id of the homework.', 21),
    bookId: longId('The Book.'),
    completedAt: z
      .string()
      .nullable()
      .meta({ description: 'When the Client had done it, ISO 8601 in UTC; null: not yet.', example: null }),
  })
  .meta({ id: 'SessionHomework', description: 'A Book of a Session, and whether it is done.' });

export const sessionSchema = z
  .object({
    id: longId('Id of the Session, given by this service.', 11),
    seriesId: z.uuid().meta({
      description: 'What was created in one call is one series.',
      example: '019abcde-0000-7000-8000-000000000000',
    }),
    clinicId: longId('The Clinic.'),
    caregiverId: longId('The Care Provider.'),
    clientId: longId('The Client.'),
    designPlanId: longId('The Design Plan that gave title or description.').nullable(),
    title: z.string().meta({ description: 'Title.', example: 'First appointment' }),
    description: z.string().nullable().meta({ description: 'Purpose.', example: 'Getting to know each other' }),
    date: z.string().meta({ description: 'Date as planned, yyyy/MM/dd, in `timeZone`.', example: '2027/03/28' }),
    time: z.string().meta({ description: 'Time as planned, HH:mm, in `timeZone`.', example: '09:30' }),
    timeZone: z.string().meta({
      description: 'The zone it was planned in: an IANA name, or an offset such as +05:30.',
      example: 'Europe/London',
    }),
    startsAt: z.string().meta({ description: 'When it starts, ISO 8601 in UTC.', example: '2027-03-28T08:30:00.000Z' }),
    status: z.enum(SESSION_STATUSES).meta({ description: 'State of the Session.', example: 'SCHEDULED' }),
    remindDays: z
      .int()
      .nullable()
      .meta({ description: 'Days after creation at which both were to be reminded.', example: 7 }),
    createdAt: z
      .string()
      .meta({ description: 'When it was created, ISO 8601 in UTC.', example: '2026-11-21T09:00:00.000Z' }),
    homework: z.array(homeworkOfSession).meta({ description: 'Homework of this Session.' }),
    progress: progressSchema,
    position: z.int().meta({
      description:
        'Place in the series, from 1, by start. It stays when Sessions move; a revision of the plan that adds or removes ' +
        'weeks numbers all places anew.',
      example: 1,
    }),
    planWeek: z
      .int()
      .nullable()
      .meta({ description: "`ordering` of the plan's week that it carries; null: none.", example: 1 }),
    durationMinutes: z.int().meta({ description: 'How long it lasts, in minutes.', example: 50 }),
    endsAt: z.string().meta({ description: 'When it ends, ISO 8601 in UTC.', example: '2027-03-28T09:20:00.000Z' }),
    cancellation: z
      .object({
        reason: z.enum(CANCEL_REASONS).meta({ description: 'Why.', example: 'CLIENT_REQUEST' }),
        note: z.string().nullable().meta({ description: 'In words.', example: 'On holiday' }),
      })
      .nullable()
      .meta({ description: 'Why it was cancelled; null: it is not.', example: null }),
    statusChangedAt: z
      .string()
      .nullable()
      .meta({ description: 'When it came into its state, ISO 8601 in UTC; null: it was created so.', example: null }),
    version: z.int().meta({ description: 'Counts its changes: the `ETag`, for `If-Match`.', example: 1 }),
    ...includedMembersShape,
  })
  .meta({ id: 'Session', description: 'One appointment of a Client with a Care Provider.' });

export type SessionModel = z.output<typeof sessionSchema>;
export const sessionPageSchema = syncPageSchema(sessionSchema, 'SessionPage');

export const sessionWithConflictsSchema = sessionSchema
  .extend({
    conflicts: z
      .array(conflictSchema)
      .meta({ description: 'Overlaps with other Sessions of the Care Provider or Client.' }),
    conflictCount: conflictCountSchema,
  })
  .meta({ id: 'SessionDetail', description: 'One appointment, with the overlaps that it has.' });
export type SessionWithConflicts = z.output<typeof sessionWithConflictsSchema>;

/** @param remindDays the setting of the Session's series */
export function toSessionModel(
  session: Session,
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
    progress: countProgress(homework),
  };
}
