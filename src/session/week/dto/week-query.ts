import { z } from 'zod';
import { timeZone } from '../../../shared/validation/index.js';

/* Query parameters of a week. */

/** The maximum number of Care Providers in the filter. */
const MAX_CARE_PROVIDERS = 100;

const from = z.iso
  .date({ error: 'must be a date such as 2027-07-05' })
  .transform((value) => Temporal.PlainDate.from(value))
  .optional()
  .meta({
    description: 'The first of the seven days, yyyy-MM-dd; absent: the Monday of the current week.',
    example: '2027-07-05',
  });

const zone = (description: string) => timeZone.optional().meta({ description, example: 'Europe/London' });

const careProviders = z
  .string()
  .transform((value) => value.split(','))
  .refine(
    (ids) => ids.length <= MAX_CARE_PROVIDERS && ids.every((id) => /^[1-9]\d{0,14}$/.test(id)),
    `must be 1 to ${MAX_CARE_PROVIDERS} ids, separated by commas`,
  )
  .transform((ids) => ids.map(Number))
  .optional()
  .meta({ description: 'Only Sessions of these Care Providers, separated by commas.', type: 'string', example: '1,2' });

export const weekQuery = z.object({
  from,
  timeZone: zone('IANA time zone of the days and local times; absent: that of the Clinic.'),
  caregiverId: careProviders,
});
export type WeekQuery = z.output<typeof weekQuery>;

export const clientWeekQuery = z.object({
  from,
  timeZone: zone("IANA time zone of the days and local times; absent: the Client's, or else that of the Clinic."),
});
export type ClientWeekQuery = z.output<typeof clientWeekQuery>;
