import { z } from 'zod';
import { manyIds, timeZone } from '../../../shared/validation/index.js';

/* Query parameters of a week. */

const from = z.iso
  .date({ error: 'must be a date such as 2027-07-05' })
  .transform((value) => Temporal.PlainDate.from(value))
  .optional()
  .meta({
    description: 'The first of the seven days, yyyy-MM-dd; absent: the Monday of the current week.',
    example: '2027-07-05',
  });

const zone = (description: string) => timeZone.optional().meta({ description, example: 'Europe/London' });

export const weekQuery = z.object({
  from,
  timeZone: zone('IANA time zone of the days and local times; absent: that of the Clinic.'),
  caregiverId: manyIds('Only Sessions of these Care Providers.'),
});
export type WeekQuery = z.output<typeof weekQuery>;

export const clientWeekQuery = z.object({
  from,
  timeZone: zone("IANA time zone of the days and local times; absent: the Client's, or else that of the Clinic."),
});
export type ClientWeekQuery = z.output<typeof clientWeekQuery>;
