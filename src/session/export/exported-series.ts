import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import type { SessionSeries } from '../domain/session-series.entity.js';
import { seriesSchema } from '../series/dto/series-model.js';

/* The schema of a series in the export of a Client. The Sessions are exported in a separate section. */

const planWeek = (which: string) =>
  z
    .int()
    .nullable()
    .meta({ description: `\`ordering\` of the ${which} applied week.`, example: 1 });

export const exportedSeriesSchema = seriesSchema
  .pick({
    ...{ id: true, caregiverId: true, designPlanId: true, revision: true },
    ...{ intervalDays: true, remindDays: true, reminders: true, pausedAt: true, createdAt: true },
  })
  .extend({ fromWeek: planWeek('first'), toWeek: planWeek('last') })
  .meta({ id: 'ExportedSeries', description: 'The settings of a series.' });
export type ExportedSeries = z.output<typeof exportedSeriesSchema>;

export function toExportedSeries(series: Readonly<SessionSeries>): ExportedSeries {
  const { id, designPlanId, revision, fromWeek, toWeek, intervalDays, remindDays, reminders } = series;
  return {
    ...{ id, caregiverId: series.careProviderId, designPlanId, revision, fromWeek, toWeek },
    ...{ intervalDays, remindDays, reminders },
    pausedAt: series.pausedAt && formatInstant(series.pausedAt),
    createdAt: formatInstant(series.createdAt),
  };
}
