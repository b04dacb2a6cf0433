import { z } from 'zod';
import { formatInstant } from '../../../shared/persistence/index.js';
import { longId } from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';
import type { SessionSeries } from '../../domain/session-series.entity.js';
import { SESSION_STATUSES } from '../../domain/session-status.js';
import type { Session } from '../../domain/session.entity.js';
import { findFixedOffsetWarnings } from '../../domain/time-warnings.js';
import { includedMembersShape } from '../../include/included-members.js';
import type { IncludedData } from '../../include/include.loader.js';
import { warningSchema } from '../../scheduling/dto/series-change.js';
import { progressSchema, countProgress } from '../../scheduling/dto/progress.js';

/* The response model of a series. */

const { client, careProvider, books, remindersAhead, conflicts } = includedMembersShape;

export const seriesSchema = z
  .object({
    id: z.uuid().meta({ description: 'Id of the series.', example: '019abcde-0000-7000-8000-000000000000' }),
    clinicId: longId('The Clinic.'),
    caregiverId: longId(
      'The Care Provider of Sessions that a revision adds: after a hand-over, the one who took over.',
    ),
    designPlanId: longId('The Design Plan.').nullable(),
    revision: z
      .int()
      .nullable()
      .meta({ description: 'The revision of the plan that is applied; null: none.', example: 1 }),
    intervalDays: z.int().meta({ description: 'Days between two Sessions.', example: 7 }),
    remindDays: z
      .int()
      .nullable()
      .meta({ description: 'Days after its creation at which each Session is reminded of; null: none.', example: 7 }),
    reminders: z
      .array(z.string())
      .meta({ description: 'Reminders around the start of each Session, ISO 8601 durations.', example: ['-P1D'] }),
    pausedAt: z
      .string()
      .nullable()
      .meta({ description: 'Since when it is paused, ISO 8601 in UTC; null: it is not.', example: null }),
    createdAt: z.string().meta({ description: 'When it was created, ISO 8601.', example: '2026-11-21T09:00:00.000Z' }),
    sessions: z
      .array(
        z.object({
          id: longId('Id of the Session.', 11),
          position: z.int().meta({ description: 'Place in the series, from 1.', example: 1 }),
          planWeek: z.int().nullable().meta({ description: "`ordering` of the plan's week.", example: 1 }),
          startsAt: z.string().meta({ description: 'When it starts, UTC.', example: '2027-03-28T08:30:00.000Z' }),
          status: z.enum(SESSION_STATUSES).meta({ description: 'State of the Session.', example: 'SCHEDULED' }),
          progress: progressSchema,
          ...{ books, remindersAhead, conflicts },
        }),
      )
      .meta({ description: 'The Sessions, in the order of their start.' }),
    progress: progressSchema,
    ...{ client, careProvider },
    warnings: z
      .array(warningSchema)
      .meta({ description: 'Warnings about the times of the series: `FIXED_OFFSET`, or none.' }),
  })
  .meta({ id: 'SessionSeries', description: 'The Sessions of one call, with the progress of their homework.' });
export type SeriesModel = z.output<typeof seriesSchema>;

export function toSeriesModel(
  series: SessionSeries,
  sessions: readonly Session[],
  homework: ReadonlyMap<number, Homework[]>,
  included: IncludedData,
): SeriesModel {
  const { id, clinicId, designPlanId, revision, intervalDays, remindDays, reminders, pausedAt, createdAt } = series;
  // Homework from cancelled Sessions is not counted.
  const asked = sessions
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
      progress: countProgress(homework.get(session.id) ?? []),
      ...included.detailsOf(session),
    })),
    progress: countProgress(asked),
    ...(sessions[0] && included.peopleOf(sessions[0].clientId, series.careProviderId)),
    warnings: findFixedOffsetWarnings(sessions),
  };
}
