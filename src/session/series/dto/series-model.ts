import { z } from 'zod';
import { homeworkProgressSchema, countHomeworkProgress } from '../../../directory/index.js';
import { formatInstant } from '../../../shared/persistence/index.js';
import { longId } from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';
import type { SessionSeries } from '../../domain/session-series.entity.js';
import { SESSION_STATUSES } from '../../domain/session-status.js';
import type { Session } from '../../domain/session.entity.js';
import { findFixedOffsetWarnings } from '../../domain/time-warnings.js';
import { sessionIncludeShape } from '../../include/included-fields.js';
import type { IncludedData } from '../../include/include.loader.js';
import { scheduleWarningSchema } from '../../scheduling/dto/series-change.js';

/* The response model of a series. */

const { client, careProvider, books, remindersAhead, conflicts } = sessionIncludeShape;

export const seriesSchema = z
  .object({
    id: z.uuid().meta({ description: 'Id of the record.', example: '019abcde-0000-7000-8000-000000000000' }),
    clinicId: longId('The Clinic.'),
    caregiverId: longId('The Care Provider of Sessions that a revision adds. Changes with a reassignment.'),
    designPlanId: longId('The Design Plan.').nullable(),
    revision: z
      .int()
      .nullable()
      .meta({ description: 'The revision of the plan that is applied, or null.', example: 1 }),
    intervalDays: z.int().meta({ description: 'Days between two Sessions.', example: 7 }),
    remindDays: z.int().nullable().meta({
      description: 'Days from the creation of a Session to its reminders, or null.',
      example: 7,
    }),
    reminders: z
      .array(z.string())
      .meta({ description: 'Reminders around the start of each Session, ISO 8601 durations.', example: ['-P1D'] }),
    pausedAt: z
      .string()
      .nullable()
      .meta({ description: 'Time of the pause. Null if the series is not paused.', example: null }),
    createdAt: z.string().meta({ description: 'Creation time.', example: '2026-11-21T09:00:00.000Z' }),
    sessions: z
      .array(
        z.object({
          id: longId('Id of the record.'),
          position: z.int().meta({ description: 'Position in the series, from 1.', example: 1 }),
          planWeek: z.int().nullable().meta({ description: '`ordering` of the plan week, or null.', example: 1 }),
          startsAt: z.string().meta({ description: 'Start.', example: '2027-03-28T08:30:00.000Z' }),
          status: z.enum(SESSION_STATUSES).meta({ description: 'State of the Session.', example: 'SCHEDULED' }),
          progress: homeworkProgressSchema,
          ...{ books, remindersAhead, conflicts },
        }),
      )
      .meta({ description: 'The Sessions, in the order of their start.' }),
    progress: homeworkProgressSchema,
    ...{ client, careProvider },
    warnings: z
      .array(scheduleWarningSchema)
      .meta({ description: 'Warnings about the times of the series: `FIXED_OFFSET`, or none.' }),
  })
  .meta({
    id: 'SessionSeries',
    description: 'The Sessions that one request has created, with the progress of their homework.',
  });
export type SeriesModel = z.output<typeof seriesSchema>;

export function toSeriesModel(
  series: SessionSeries,
  sessions: readonly Session[],
  homework: ReadonlyMap<number, Homework[]>,
  included: IncludedData,
): SeriesModel {
  const { id, clinicId, designPlanId, revision, intervalDays, remindDays, reminders, pausedAt, createdAt } = series;
  // Homework of cancelled Sessions does not count towards the progress.
  const assigned = sessions
    .filter(({ status }) => status !== 'CANCELLED')
    .flatMap((session) => homework.get(session.id) ?? []);
  return {
    ...{ id, clinicId, caregiverId: series.careProviderId, designPlanId, revision },
    ...{ intervalDays, remindDays, reminders },
    pausedAt: pausedAt && formatInstant(pausedAt),
    createdAt: formatInstant(createdAt),
    sessions: sessions.map((session) => ({
      id: session.id,
      position: session.position,
      planWeek: session.planWeek,
      startsAt: formatInstant(session.startsAt),
      status: session.status,
      progress: countHomeworkProgress(homework.get(session.id) ?? []),
      ...included.getDetails(session),
    })),
    progress: countHomeworkProgress(assigned),
    ...(sessions[0] && included.getPeople(sessions[0].clientId, series.careProviderId)),
    warnings: findFixedOffsetWarnings(sessions),
  };
}
