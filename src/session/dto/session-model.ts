import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { formatSlashDate } from '../../shared/time/index.js';
import { longId, pageQuery, pageSchema } from '../../shared/validation/index.js';
import { SESSION_STATUSES, type Session } from '../session.entity.js';

/* A Session as it is read back (decisions, section 6). */

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
    homework: z.array(z.object({ bookId: longId('The Book.') })).meta({ description: 'Homework of this Session.' }),
  })
  .meta({ id: 'Session', description: 'One appointment of a Client with a Care Provider.' });

export type SessionModel = z.output<typeof sessionSchema>;
export const sessionPageSchema = pageSchema(sessionSchema, 'SessionPage');

export const sessionQuery = pageQuery.extend({
  seriesId: z
    .uuid({ error: 'must be a UUID' })
    .optional()
    .meta({ description: 'Only the Sessions of one series.', example: '019abcde-0000-7000-8000-000000000000' }),
});
export type SessionQuery = z.output<typeof sessionQuery>;

export function viewSession(session: Session, bookIds: readonly number[]): SessionModel {
  const {
    id,
    seriesId,
    clinicId,
    caregiverId,
    clientId,
    designPlanId,
    title,
    description,
    timeZone,
    status,
    remindDays,
  } = session;
  return {
    id,
    seriesId,
    clinicId,
    caregiverId,
    clientId,
    designPlanId,
    title,
    description,
    date: formatSlashDate(Temporal.PlainDate.from(session.plannedDate)),
    time: session.plannedTime,
    timeZone,
    startsAt: formatInstant(session.startsAt),
    status,
    remindDays,
    createdAt: formatInstant(session.createdAt),
    homework: bookIds.map((bookId) => ({ bookId })),
  };
}
