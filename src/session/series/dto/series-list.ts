import { z } from 'zod';
import { formatInstant } from '../../../shared/persistence/index.js';
import {
  booleanQuery,
  countQuery,
  longId,
  idListQuery,
  pageQuery,
  sortQuery,
  syncQuery,
  uuidSyncPageSchema,
} from '../../../shared/validation/index.js';
import type { SessionSeries } from '../../domain/session-series.entity.js';
import { seriesSchema } from './series-model.js';

/* Query parameters and response of the list of series. */

export const seriesQuery = pageQuery.extend({
  caregiverId: idListQuery('Only those of these Care Providers.'),
  clientId: idListQuery('Only those of these Clients.'),
  designPlanId: idListQuery('Only those of these Design Plans.'),
  paused: booleanQuery
    .optional()
    .meta({ description: 'true: only paused series; false: only the others.', example: 'false' }),
  sort: sortQuery(['createdAt'], 'By creation.'),
  count: countQuery,
  ...syncQuery,
});
export type SeriesQuery = z.output<typeof seriesQuery>;

/** Returns the parameters of a list query that select series: those for paging, order and content are left out. */
export const pickSeriesFilters = ({ caregiverId, clientId, designPlanId, paused }: SeriesQuery) => ({
  ...{ caregiverId, clientId, designPlanId, paused },
});

const seriesSummarySchema = seriesSchema
  .pick({
    ...{ id: true, clinicId: true, caregiverId: true, designPlanId: true, revision: true, intervalDays: true },
    ...{ pausedAt: true, createdAt: true },
  })
  .extend({
    clientId: longId('The Client.'),
    sessionCount: z.int().meta({ description: 'Number of Sessions that are not cancelled.', example: 8 }),
    upcomingCount: z.int().meta({ description: 'Number of Sessions that are upcoming or paused.', example: 5 }),
    nextSession: z
      .object({
        id: longId('Id of the record.'),
        startsAt: z.string().meta({ description: 'Start.', example: '2027-03-28T08:30:00.000Z' }),
      })
      .nullable()
      .meta({ description: 'The first Session that is upcoming or paused, or null if there is none.' }),
    version: z.int().meta({
      description: 'For synchronisation: increases with each change of the series or its Sessions. It is no `ETag`.',
      example: 9,
    }),
  })
  .meta({ id: 'SeriesSummary', description: 'A series without its Sessions.' });
export type SeriesSummary = z.output<typeof seriesSummarySchema>;
export const seriesPageSchema = uuidSyncPageSchema(seriesSummarySchema, 'SeriesPage');

/** Summary of the Sessions in a series, as the list of series contains it. */
export type SeriesSessionSummary = {
  clientId: number;
  sessionCount: number;
  upcomingCount: number;
  next: { id: number; startsAt: Temporal.Instant } | null;
  /** The sum of the versions of all Sessions. */
  versions: number;
};

export function toSeriesSummary(
  series: Readonly<SessionSeries>,
  { clientId, sessionCount, upcomingCount, next, versions }: SeriesSessionSummary,
): SeriesSummary {
  const { id, clinicId, designPlanId, revision, intervalDays, pausedAt, createdAt } = series;
  return {
    ...{ id, clinicId, caregiverId: series.careProviderId, clientId, designPlanId, revision, intervalDays },
    pausedAt: pausedAt && formatInstant(pausedAt),
    createdAt: formatInstant(createdAt),
    ...{ sessionCount, upcomingCount },
    nextSession: next && { id: next.id, startsAt: formatInstant(next.startsAt) },
    version: series.version + versions,
  };
}
