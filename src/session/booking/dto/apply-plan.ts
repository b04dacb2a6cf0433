import { z } from 'zod';
import {
  hourMinute,
  integerBetween,
  longId,
  optionalLongId,
  requestMeta,
  slashDate,
} from '../../../shared/validation/index.js';
import { MAX_APPLICABLE_ORDERING } from '../../domain/plan-weeks.js';
import {
  areFieldsValid,
  durationMinutesSchema,
  intervalDaysSchema,
  remindDaysSchema,
  remindersSchema,
} from './create-sessions.js';

/* Request body for applying a Design Plan. */

const week = (description: string, example: number) =>
  integerBetween(0, MAX_APPLICABLE_ORDERING)
    .nullish()
    .transform((ordering) => ordering ?? undefined)
    .meta({ description, example });

export const applyPlanFieldSchemas = {
  clientId: longId('The Client, one of the assigned Clients of the caller.', 1),
  date: slashDate.meta({
    description: 'Date of the first Session, yyyy/MM/dd, on the wall clock of the request.',
  }),
  time: hourMinute.meta({ description: 'Time of all Sessions, 24-hour clock HH:mm.' }),
  caregiverId: optionalLongId('Care Provider of the Sessions, of the same Clinic. Default: the caller.', 1),
  intervalDays: intervalDaysSchema,
  fromWeek: week('First week to apply, by its `ordering`. Default: the first.', 1),
  toWeek: week('Last week to apply, by its `ordering`. Default: the last.', 8),
  remindDays: remindDaysSchema,
  reminders: remindersSchema,
  durationMinutes: durationMinutesSchema,
};

export const isWeekRangeOrdered = ({ fromWeek, toWeek }: { fromWeek?: number; toWeek?: number }) =>
  (fromWeek ?? 0) <= (toWeek ?? Infinity);
export const WEEK_ORDER_ISSUE = {
  path: ['toWeek'],
  error: 'must not be before fromWeek',
  when: areFieldsValid('fromWeek', 'toWeek'),
};

export const applyPlanSchema = z
  .object(applyPlanFieldSchemas)
  .refine(isWeekRangeOrdered, WEEK_ORDER_ISSUE)
  .meta({
    id: 'ApplyPlan',
    description: 'How a Design Plan is applied to a Client.',
    ...requestMeta(
      {},
      {
        weekly: {
          summary: 'Every week from the 22nd of March',
          value: { clientId: 1, date: '2027/03/22', time: '09:30', reminders: ['-P1D'] },
        },
      },
    ),
  });
export type ApplyPlan = z.output<typeof applyPlanSchema>;
