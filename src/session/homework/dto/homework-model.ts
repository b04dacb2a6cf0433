import { z } from 'zod';
import { homeworkProgressSchema } from '../../../directory/index.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate, formatLocalDateTime } from '../../../shared/time/index.js';
import {
  booleanQuery,
  countQuery,
  longId,
  idListQuery,
  pageQuery,
  sortQuery,
  syncPageSchema,
  syncQuery,
} from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';
import type { Session } from '../../domain/session.entity.js';
import { homeworkListIncludeQuery } from '../../include/include-names.js';
import { sessionIncludeShape } from '../../include/included-fields.js';
import { bookHomeworkSchema } from '../../scheduling/dto/book-homework.js';
import {
  localDateSchema,
  localTimeSchema,
  timeZoneSchema,
  utcInstantSchema,
} from '../../scheduling/dto/planned-reminder.js';

/* Response models of homework for a Client and for a Clinic. */

export const homeworkQuery = pageQuery.extend({
  completed: booleanQuery.optional().meta({
    description: '`true` for completed homework only, `false` for the rest only. Default: both.',
    example: 'false',
  }),
  include: homeworkListIncludeQuery,
  sessionId: idListQuery('Only those of these Sessions.'),
  bookId: idListQuery('Only these Books.'),
  sort: sortQuery(['startsAt'], 'By the start of the Session.'),
  count: countQuery,
  ...syncQuery,
});
export type HomeworkQuery = z.output<typeof homeworkQuery>;
export const clinicHomeworkQuery = homeworkQuery.extend({
  clientId: idListQuery('Only those of these Clients.'),
  caregiverId: idListQuery('Only those of these Care Providers.'),
});
export type ClinicHomeworkQuery = z.output<typeof clinicHomeworkQuery>;

/** Returns the parameters of a list query that select homework: those for paging, order and content are left out. */
export function pickHomeworkFilters(query: HomeworkQuery & Partial<ClinicHomeworkQuery>) {
  const { completed, sessionId, bookId, clientId, caregiverId } = query;
  return { completed, sessionId, bookId, clientId, caregiverId };
}

const { client, careProvider, books } = sessionIncludeShape;

const upcomingReminderSchema = z.object({
  dueAt: utcInstantSchema('Due time.'),
  sendAt: utcInstantSchema('The due time, unless quiet hours or a retry have changed it.'),
  date: localDateSchema,
  time: localTimeSchema,
  timeZone: timeZoneSchema,
});

export const clientHomeworkSchema = bookHomeworkSchema
  .extend({
    sessionId: longId('The Session.', 11),
    dueDate: z.string().meta({
      description:
        'Due date, yyyy/MM/dd, in `timeZone`: the date of the next Session of the series that is not cancelled. Homework of the last Session is due one interval later.',
      example: '2027/04/04',
    }),
    timeZone: z.string().meta({ description: 'The zone of the Session.', example: 'Europe/London' }),
    paused: z.boolean().meta({
      description: 'true while its Session is paused: `dueDate` is the previously planned date, which may change.',
      example: false,
    }),
    remindersAhead: z.array(upcomingReminderSchema).meta({ description: 'Upcoming reminders of the homework.' }),
    version: z.int().meta({
      description: 'For synchronisation: increases with each change of the homework or its series. It is no `ETag`.',
      example: 5,
    }),
    ...{ client, careProvider, books },
    progress: homeworkProgressSchema.optional().meta({
      description: 'With `include=progress`: progress of all homework of the Session.',
    }),
  })
  .meta({ id: 'ClientHomework', description: 'One Book as homework of one Session.' });
export type ClientHomework = z.output<typeof clientHomeworkSchema>;
export const clientHomeworkPageSchema = syncPageSchema(clientHomeworkSchema, 'ClientHomeworkPage');

const clinicHomeworkSchema = clientHomeworkSchema
  .extend({
    clientId: longId('The Client.'),
    caregiverId: longId('The Care Provider.'),
  })
  .meta({ id: 'ClinicHomework', description: 'One Book as homework of one Session, with its participants.' });
export type ClinicHomework = z.output<typeof clinicHomeworkSchema>;
export const clinicHomeworkPageSchema = syncPageSchema(clinicHomeworkSchema, 'ClinicHomeworkPage');

type ReminderTimes = { dueAt: Temporal.Instant; sendAt: Temporal.Instant };

/** The data of other records that the response model of homework contains. */
type HomeworkContext = {
  session: Session;
  bookTitle: string;
  dueDate: Temporal.PlainDate;
  reminders: readonly ReminderTimes[];
  /** Time zone of the Client. */
  clientZone: string;
  /** The sum of the versions of all Sessions in the series, which is a part of the homework's version. */
  seriesVersion: number;
};

export function toClientHomework(
  { id, bookId, completedAt, version }: Homework,
  { session, bookTitle, dueDate, reminders, clientZone, seriesVersion }: HomeworkContext,
): ClientHomework {
  return {
    ...{ id, bookId, bookTitle, sessionId: session.id, timeZone: session.timeZone },
    completedAt: completedAt && formatInstant(completedAt),
    dueDate: formatSlashDate(dueDate),
    paused: session.status === 'PAUSED',
    remindersAhead: reminders.map((reminder) => toUpcomingReminder(reminder, clientZone)),
    version: version + seriesVersion,
  };
}

function toUpcomingReminder({ dueAt, sendAt }: ReminderTimes, timeZone: string) {
  const { date, time } = formatLocalDateTime(dueAt.toZonedDateTimeISO(timeZone));
  return { dueAt: formatInstant(dueAt), sendAt: formatInstant(sendAt), date: formatSlashDate(date), time, timeZone };
}
