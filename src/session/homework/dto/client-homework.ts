import { z } from 'zod';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate, formatWallClock } from '../../../shared/time/index.js';
import { countedPageSchema, countQuery, longId, manyIds, pageQuery, sortOf } from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';
import type { Session } from '../../domain/session.entity.js';
import { includeOfHomework } from '../../include/include-names.js';
import { includedMembersShape } from '../../include/included-members.js';
import { progressSchema } from '../../scheduling/dto/progress.js';
import { bookHomeworkSchema } from '../../scheduling/dto/book-homework.js';

/* Homework as its Client sees it. */

export const homeworkQuery = pageQuery.extend({
  completed: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .transform((value) => value === 'true')
    .optional()
    .meta({ description: 'true: only what is done; false: only what is not. Absent: both.', example: 'false' }),
  include: includeOfHomework,
  sessionId: manyIds('Only homework of these Sessions.'),
  bookId: manyIds('Only these Books.'),
  sort: sortOf(['startsAt'], 'By the start of the Session.'),
  count: countQuery,
});
export type HomeworkQuery = z.output<typeof homeworkQuery>;

const { client, careProvider, books } = includedMembersShape;

const upcomingReminderSchema = z.object({
  dueAt: z.string().meta({ description: 'When, ISO 8601 in UTC.', example: '2027-03-30T19:00:00.000Z' }),
  date: z.string().meta({ description: 'Local date, yyyy/MM/dd, in `timeZone`.', example: '2027/03/30' }),
  time: z.string().meta({ description: 'Local time, HH:mm, in `timeZone`.', example: '20:00' }),
  timeZone: z.string().meta({ description: 'The zone of the Client.', example: 'Europe/London' }),
});

export const clientHomeworkSchema = bookHomeworkSchema
  .extend({
    sessionId: longId('The Session that it was given for.', 11),
    dueDate: z.string().meta({
      description:
        'Until when it is to be done, yyyy/MM/dd, in `timeZone`: the day of the next Session of the series that is not ' +
        'cancelled; after the last, as if the series went on at its interval.',
      example: '2027/04/04',
    }),
    timeZone: z.string().meta({ description: 'The zone of the Session.', example: 'Europe/London' }),
    paused: z.boolean().meta({
      description: 'true while its Session is on hold: `dueDate` is as planned before, and may move with it.',
      example: false,
    }),
    remindersAhead: z.array(upcomingReminderSchema).meta({ description: 'Reminders of it that are still to be sent.' }),
    ...{ client, careProvider, books },
    progress: progressSchema.optional().meta({
      description: 'With `include=progress`: how much of all homework of the Session is done.',
    }),
  })
  .meta({ id: 'ClientHomework', description: 'One Book as homework of one Session.' });
export type ClientHomework = z.output<typeof clientHomeworkSchema>;
export const clientHomeworkPageSchema = countedPageSchema(clientHomeworkSchema, 'ClientHomeworkPage');

/** Related data included in the homework model. */
export type HomeworkContext = {
  session: Session;
  bookTitle: string;
  dueDate: Temporal.PlainDate;
  reminders: readonly { dueAt: Temporal.Instant }[];
  /** Time zone of the Client. */
  clientZone: string;
};

export function toClientHomework(
  { id, bookId, completedAt }: Homework,
  { session, bookTitle, dueDate, reminders, clientZone }: HomeworkContext,
): ClientHomework {
  return {
    ...{ id, bookId, bookTitle, sessionId: session.id, timeZone: session.timeZone },
    completedAt: completedAt && formatInstant(completedAt),
    dueDate: formatSlashDate(dueDate),
    paused: session.status === 'PAUSED',
    remindersAhead: reminders.map(({ dueAt }) => toUpcomingReminder(dueAt, clientZone)),
  };
}

function toUpcomingReminder(dueAt: Temporal.Instant, timeZone: string) {
  const { date, time } = formatWallClock(dueAt.toZonedDateTimeISO(timeZone));
  return { dueAt: formatInstant(dueAt), date: formatSlashDate(date), time, timeZone };
}
