import { z } from 'zod';
import { homeworkProgressSchema, countHomeworkProgress } from '../../../directory/index.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate, toLocalDate } from '../../../shared/time/index.js';
import { longId } from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';
import type { Session } from '../../domain/session.entity.js';
import { bookHomeworkSchema, toBookHomework } from '../../scheduling/dto/book-homework.js';
import { sessionSchema } from './session-model.js';

/* The response model of a digest: what the Care Provider needs to know before a Session. */

const summary = (example: string) => z.string().meta({ description: 'The same as text.', example });

const homework = (description: string) => z.array(bookHomeworkSchema).meta({ description });

export const sessionDigestSchema = z
  .object({
    sessionId: longId('The Session.', 11),
    seriesId: sessionSchema.shape.seriesId,
    clientId: longId('The Client.'),
    startsAt: sessionSchema.shape.startsAt,
    homework: homework('The homework planned for this Session.'),
    previous: sessionSchema
      .pick({ id: true, date: true, time: true, timeZone: true, startsAt: true, status: true })
      .extend({
        homework: homework('The homework of the previous Session, with the time of its completion.'),
        progress: homeworkProgressSchema,
        summary: summary('1 of 1 Book done'),
      })
      .nullable()
      .meta({
        description: 'The previous Session of the series, ignoring cancelled ones, or null if there is none.',
      }),
    daysSincePrevious: z.int().nullable().meta({
      description: 'Days from the previous Session to this one. Null if there is none.',
      example: 7,
    }),
    progress: homeworkProgressSchema.meta({
      description: 'Homework progress of all Sessions of the series that you may see, without cancelled ones.',
    }),
    dueSoFar: homeworkProgressSchema.meta({ description: 'Homework progress of the Sessions that have begun.' }),
    summary: summary('2 of 5 due so far, 24 in all'),
  })
  .meta({
    id: 'SessionDigest',
    description: 'Information to read before a Session: the previous Session, and the progress of the series.',
  });
export type SessionDigest = z.output<typeof sessionDigestSchema>;

type DigestData = {
  previous: Session | undefined;
  /** Homework, keyed by Session ID. */
  homework: ReadonlyMap<number, Homework[]>;
  /** Homework from all Sessions in the series that the caller can see and that are not cancelled. */
  assigned: readonly Homework[];
  /** The homework in `assigned` whose Sessions have started. */
  due: readonly Homework[];
  titles: ReadonlyMap<number, string>;
};

export function toSessionDigest(
  session: Session,
  { previous, homework, assigned, due, titles }: DigestData,
): SessionDigest {
  const { id: sessionId, seriesId, clientId, startsAt } = session;
  return {
    ...{ sessionId, seriesId, clientId, startsAt: formatInstant(startsAt) },
    homework: toBookHomework(homework.get(sessionId) ?? [], titles),
    previous: previous === undefined ? null : toPreviousSession(previous, homework.get(previous.id) ?? [], titles),
    daysSincePrevious: previous === undefined ? null : countDaysBetween(previous, session),
    progress: countHomeworkProgress(assigned),
    dueSoFar: countHomeworkProgress(due),
    summary: formatDueProgress(due, assigned),
  };
}

function toPreviousSession(session: Session, homework: readonly Homework[], titles: ReadonlyMap<number, string>) {
  const { id, timeZone, status, plannedTime: time } = session;
  return {
    ...{ id, timeZone, status, time },
    date: formatSlashDate(session.plannedDate),
    startsAt: formatInstant(session.startsAt),
    homework: toBookHomework(homework, titles),
    progress: countHomeworkProgress(homework),
    summary: formatProgress(homework),
  };
}

/** Counts calendar days in the time zone of the later Session. */
function countDaysBetween(previous: Session, { startsAt, timeZone }: Session): number {
  const [from, to] = [previous.startsAt, startsAt].map((at) => toLocalDate(at, timeZone));
  return from!.until(to!, { largestUnit: 'days' }).days;
}

/** Shows due homework separately, because homework from Sessions that have not started is not due yet. */
function formatDueProgress(due: readonly Homework[], assigned: readonly Homework[]): string {
  const { done, total } = countHomeworkProgress(due);
  return assigned.length === 0 ? 'No Books given' : `${done} of ${total} due so far, ${assigned.length} in all`;
}

function formatProgress(homework: readonly Homework[]): string {
  const { done, total } = countHomeworkProgress(homework);
  return total === 0 ? 'No Books given' : `${done} of ${total} ${total === 1 ? 'Book' : 'Books'} done`;
}
