import { z } from 'zod';
import {
  scheduleConflictSchema,
  countHomeworkProgress,
  type PersonNamesById,
  includedCareProviderSchema,
  includedClientSchema,
} from '../../../directory/index.js';
import { upcomingReminderSchema } from '../../../reminder/index.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { formatSlashDate } from '../../../shared/time/index.js';
import type { Session } from '../../domain/session.entity.js';
import type { LoadedSessionDetails } from '../../include/session-details.loader.js';
import { sessionSchema } from '../../reading/dto/session-model.js';
import { bookHomeworkSchema } from '../../scheduling/dto/book-homework.js';
import { LocalTimeConverter } from '../local-time-converter.js';
import type { WeekRange } from '../week-range.js';

/* The response models of a week. */

const localTimeSchema = z
  .object({
    date: z.string().meta({ description: 'Local date, yyyy/MM/dd.', example: '2027/07/05' }),
    time: z.string().meta({ description: 'Local time, HH:mm.', example: '10:00' }),
    utcOffset: z.string().meta({
      description: 'Offset from UTC, which distinguishes the two occurrences of a repeated hour.',
      example: '+01:00',
    }),
  })
  .meta({ id: 'LocalTime', description: 'Local time in the `timeZone` of the week.' });

const weekSessionSchema = sessionSchema
  .pick({
    ...{ id: true, seriesId: true, caregiverId: true, clientId: true, designPlanId: true, title: true, date: true },
    ...{ time: true, timeZone: true, startsAt: true, endsAt: true, durationMinutes: true, status: true },
    ...{ position: true, planWeek: true, version: true, progress: true },
  })
  .extend({
    localStart: localTimeSchema.meta({ description: 'Local time of the start.' }),
    localEnd: localTimeSchema.meta({ description: 'Local time of the end.' }),
    client: includedClientSchema,
    careProvider: includedCareProviderSchema,
    homework: z.array(bookHomeworkSchema).meta({ description: 'Homework of this Session.' }),
    remindersAhead: z.array(upcomingReminderSchema).meta({
      description:
        'The next 20 reminders that will be sent, by their due time; for a Care Provider, only of their own Sessions.',
    }),
    conflicts: z.array(scheduleConflictSchema).meta({
      description: 'Overlaps with other Sessions of the Care Provider or Client: the first 10 by their start.',
    }),
  })
  .meta({ id: 'WeekSession', description: 'One appointment, with the data of a week board.' });

const clientWeekSessionSchema = weekSessionSchema
  .omit({ conflicts: true })
  .meta({ id: 'ClientWeekSession', description: 'One appointment in the week of its Client.' });

const daySchema = z
  .object({
    date: z.string().meta({ description: 'Date, yyyy/MM/dd.', example: '2027/07/05' }),
    startsAt: z.string().meta({ description: 'Start of the day.', example: '2027-07-04T23:00:00.000Z' }),
  })
  .meta({ id: 'WeekDay', description: 'One day of a week.' });

const weekShape = {
  timeZone: z.string().meta({ description: 'Time zone of the days and local times.', example: 'Europe/London' }),
  startsAt: z.string().meta({ description: 'Start of the week.', example: '2027-07-04T23:00:00.000Z' }),
  endsAt: z.string().meta({ description: 'The first instant after the week.', example: '2027-07-11T23:00:00.000Z' }),
  days: z.array(daySchema).meta({ description: 'The seven days.' }),
  isTruncated: z.boolean().meta({
    description: 'Whether the week has more than 1,000 Sessions, of which only the first 1,000 by start are returned.',
    example: false,
  }),
};

export const weekSchema = z
  .object({ ...weekShape, sessions: z.array(weekSessionSchema).meta({ description: 'In the order of their start.' }) })
  .meta({ id: 'Week', description: 'The Sessions of seven days.' });
export type WeekModel = z.output<typeof weekSchema>;

export const clientWeekSchema = z
  .object({
    ...weekShape,
    sessions: z.array(clientWeekSessionSchema).meta({ description: 'In the order of their start.' }),
  })
  .meta({ id: 'ClientWeek', description: "A Client's own Sessions of seven days." });
export type ClientWeekModel = z.output<typeof clientWeekSchema>;

type WeekSession = z.output<typeof weekSessionSchema>;
type ClientWeekSession = z.output<typeof clientWeekSessionSchema>;

/** The Sessions of a week, with all details that a week contains. */
export type WeekContent = {
  week: WeekRange;
  sessions: readonly Session[];
  details: LoadedSessionDetails;
  names: PersonNamesById;
  isTruncated: boolean;
};

export function toWeekModel(content: WeekContent): WeekModel {
  const { conflicts } = content.details;
  const sessions = toWeekSessions(content).map((session): WeekSession => {
    return { ...session, conflicts: conflicts.get(session.id) ?? [] };
  });
  return { ...toWeekFields(content), sessions };
}

/** Converts a week to the response for a Client, which contains no conflicts. */
export function toClientWeekModel(content: WeekContent): ClientWeekModel {
  return { ...toWeekFields(content), sessions: toWeekSessions(content) };
}

function toWeekFields({ week, isTruncated }: WeekContent) {
  const { timeZone, days, startsAt, endsAt } = week;
  return {
    ...{ timeZone, startsAt: formatInstant(startsAt), endsAt: formatInstant(endsAt) },
    days: days.map((day) => ({ date: formatSlashDate(day.date), startsAt: formatInstant(day.startsAt) })),
    isTruncated,
  };
}

function toWeekSessions({ week, sessions, details, names }: WeekContent): ClientWeekSession[] {
  const latestEnd = sessions.reduce((latest, { endsAt }) => {
    return Temporal.Instant.compare(endsAt, latest) > 0 ? endsAt : latest;
  }, week.endsAt);
  const times = new LocalTimeConverter(week.startsAt, latestEnd, week.timeZone);
  return sessions.map((session) => {
    const { id, seriesId, caregiverId, clientId, designPlanId, title, timeZone, durationMinutes } = session;
    const { status, position, planWeek, version, startsAt, endsAt } = session;
    const homework = details.homework.get(id) ?? [];
    return {
      ...{ id, seriesId, caregiverId, clientId, designPlanId, title, timeZone, durationMinutes },
      ...{ status, position, planWeek, version },
      date: formatSlashDate(session.plannedDate),
      time: session.plannedTime,
      startsAt: formatInstant(startsAt),
      endsAt: formatInstant(endsAt),
      localStart: times.toLocal(startsAt),
      localEnd: times.toLocal(endsAt),
      client: names.clients.get(clientId) ?? { id: clientId, name: '' },
      careProvider: names.careProviders.get(caregiverId) ?? { id: caregiverId, name: '' },
      homework,
      progress: countHomeworkProgress(homework),
      remindersAhead: details.remindersAhead.get(id) ?? [],
    };
  });
}
