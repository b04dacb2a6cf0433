import { z } from 'zod';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate } from '../../../shared/time/index.js';
import { longId, pageSchema } from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';
import type { Session } from '../../domain/session.entity.js';
import { progressSchema, countProgress, sessionSchema } from './session-model.js';
import { sessionQuery } from './session-query.js';

/* A Session as its Client reads it: nothing of overlaps, nor of why it was cancelled. */

export const clientSessionQuery = sessionQuery.pick({ limit: true, cursor: true, from: true, to: true, status: true });
export type ClientSessionQuery = z.output<typeof clientSessionQuery>;

/** One Book of a Session, with what has become of it. */
export const bookHomeworkSchema = z.object({
  id: longId('Id of the homework.', 21),
  bookId: longId('The Book.'),
  bookTitle: z.string().meta({ description: 'Title of the Book.', example: 'Sleeping well' }),
  completedAt: z
    .string()
    .nullable()
    .meta({ description: 'When the Client had done it, ISO 8601 in UTC; null: not yet.', example: null }),
});
export type BookHomework = z.output<typeof bookHomeworkSchema>;

export const clientSessionSchema = sessionSchema
  .pick({
    ...{ id: true, caregiverId: true, title: true, description: true, date: true, time: true, timeZone: true },
    ...{ startsAt: true, endsAt: true, durationMinutes: true, status: true },
  })
  .extend({
    homework: z.array(bookHomeworkSchema).meta({ description: 'Homework of this Session.' }),
    progress: progressSchema,
  })
  .meta({ id: 'ClientSession', description: 'One appointment, as its Client sees it.' });
export type ClientSession = z.output<typeof clientSessionSchema>;
export const clientSessionPageSchema = pageSchema(clientSessionSchema, 'ClientSessionPage');

export function toBookHomework(homework: readonly Homework[], titles: ReadonlyMap<number, string>): BookHomework[] {
  return homework.map(({ id, bookId, completedAt }) => ({
    ...{ id, bookId, bookTitle: titles.get(bookId) ?? '' },
    completedAt: completedAt && formatInstant(completedAt),
  }));
}

export function toClientSession(
  session: Session,
  homework: readonly Homework[],
  titles: ReadonlyMap<number, string>,
): ClientSession {
  const { id, caregiverId, title, description, timeZone, durationMinutes, status } = session;
  return {
    ...{ id, caregiverId, title, description, timeZone, durationMinutes, status },
    date: formatSlashDate(session.plannedDate),
    time: session.plannedTime,
    startsAt: formatInstant(session.startsAt),
    endsAt: formatInstant(session.endsAt),
    homework: toBookHomework(homework, titles),
    progress: countProgress(homework),
  };
}
