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
      .meta({ description: 'By how many days, -365 to 365; negative: earlier.', example: 7 }),
    fromSessionId: longId('From this Session on, by the calendar; absent: all that is still to come.', 12).optional(),
  })
  .meta({
    id: 'ShiftSeries',
    description: 'Moves the rest of a series.',
    ...requestMeta({}, { later: { summary: 'Everything two days later', value: { days: 2 } } }),
  });
export type ShiftSeries = z.output<typeof shiftSeriesSchema>;

export const skipWeekSchema = z
  .object({ sessionId: longId('The Session of the week to leave out; absent: the next one.', 12).optional() })
  .meta({
    id: 'SkipWeek',
    description: 'Leaves out a week: its Session and those after it come one interval later.',
    ...requestMeta({}, { next: { summary: 'Leave out the next week', value: {} } }),
  });
export type SkipWeek = z.output<typeof skipWeekSchema>;

export const reviseSeriesSchema = z
  .object({
    revision: integerBetween(1, 1_000_000_000)
      .optional()
      .meta({ description: 'To which revision of the plan; absent: the current one.', example: 2 }),
  })
  .meta({
    id: 'ReviseSeries',
    description: 'Moves the rest of a series onto a newer revision of its Design Plan.',
    ...requestMeta({}, { current: { summary: 'Onto the current revision', value: {} } }),
  });
export type ReviseSeries = z.output<typeof reviseSeriesSchema>;
