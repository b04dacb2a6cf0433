import { z } from 'zod';
import { homeworkProgressSchema, countHomeworkProgress } from '../../../directory/index.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate } from '../../../shared/time/index.js';
import { syncPageSchema } from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';
import type { Session } from '../../domain/session.entity.js';
import { clientIncludeQuery } from '../../include/include-names.js';
import type { IncludedSessionFields } from '../../include/included-fields.js';
import { sessionSchema } from './session-model.js';
import { sessionQuery } from './session-query.js';
import { bookHomeworkSchema, toBookHomework } from '../../scheduling/dto/book-homework.js';

/* The response model of a Session for its Client. It contains no overlaps and no cancellation reasons. */

export const clientSessionQuery = sessionQuery
  .pick({
    ...{ limit: true, cursor: true, from: true, to: true, status: true },
    ...{ sort: true, count: true, sync: true, syncToken: true },
  })
  .extend({ include: clientIncludeQuery });
export type ClientSessionQuery = z.output<typeof clientSessionQuery>;

export const clientSessionSchema = sessionSchema
  .pick({
    ...{ id: true, caregiverId: true, title: true, description: true, date: true, time: true, timeZone: true },
    ...{ startsAt: true, endsAt: true, durationMinutes: true, status: true, version: true },
    ...{ client: true, careProvider: true, books: true, remindersAhead: true },
  })
  .extend({
    homework: z.array(bookHomeworkSchema).meta({ description: 'Homework of this Session.' }),
    progress: homeworkProgressSchema,
  })
  .meta({ id: 'ClientSession', description: 'One appointment, as its Client sees it.' });
export type ClientSession = z.output<typeof clientSessionSchema>;
export const clientSessionPageSchema = syncPageSchema(clientSessionSchema, 'ClientSessionPage');

export function toClientSession(
  session: Session,
  homework: readonly Homework[],
  titles: ReadonlyMap<number, string>,
  included: Omit<IncludedSessionFields, 'conflicts'>,
): ClientSession {
  const { id, caregiverId, title, description, timeZone, durationMinutes, status, version } = session;
  return {
    ...{ id, caregiverId, title, description, timeZone, durationMinutes, status, version },
    date: formatSlashDate(session.plannedDate),
    time: session.plannedTime,
    startsAt: formatInstant(session.startsAt),
    endsAt: formatInstant(session.endsAt),
    homework: toBookHomework(homework, titles),
    progress: countHomeworkProgress(homework),
    ...included,
  };
}
