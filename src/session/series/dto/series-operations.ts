import { z } from 'zod';
import { integerBetween, longId, requestMeta } from '../../../shared/validation/index.js';

/* Path parameter and request bodies of the series operations. */

export const seriesIdParam = z
  .uuid({ error: 'must be a UUID' })
  .meta({ description: 'Id of the series.', example: '019abcde-0000-7000-8000-000000000000' });

export const shiftSeriesSchema = z
  .object({
    days: integerBetween(-365, 365)
      .refine((days) => days !== 0, 'must not be 0')
      .meta({
        description: 'Number of days, -365 to 365. Negative: to earlier dates.',
        example: 7,
      }),
    fromSessionId: longId('The first Session to move, in the order of start. Default: the next one.', 12).optional(),
  })
  .meta({
    id: 'ShiftSeries',
    description: 'The number of days by which the rest of a series moves.',
    ...requestMeta({}, { later: { summary: 'Everything two days later', value: { days: 2 } } }),
  });
export type ShiftSeries = z.output<typeof shiftSeriesSchema>;

export const skipWeekSchema = z
  .object({ sessionId: longId('The Session of the week to skip. Default: the next one.', 12).optional() })
  .meta({
    id: 'SkipWeek',
    description: 'Skips a week: its Session and all later ones move by one interval.',
    ...requestMeta({}, { next: { summary: 'Skip the next week', value: {} } }),
  });
export type SkipWeek = z.output<typeof skipWeekSchema>;

export const reviseSeriesSchema = z
  .object({
    revision: integerBetween(1, 1_000_000_000)
      .optional()
      .meta({ description: 'The revision of the plan. Default: the current one.', example: 2 }),
  })
  .meta({
    id: 'ReviseSeries',
    description:
      'Past Sessions and completed homework do not change. The Sessions of removed weeks are cancelled, and new weeks get Sessions.',
    ...requestMeta({}, { current: { summary: 'Apply the current revision', value: {} } }),
  });
export type ReviseSeries = z.output<typeof reviseSeriesSchema>;
