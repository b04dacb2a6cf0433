import { z } from 'zod';
import { idListQuery, timeZone } from '../../../shared/validation/index.js';

/* Query parameters of a week. */

const from = z.iso
  .date({ error: 'must be a date such as 2027-07-05' })
  .transform((value) => Temporal.PlainDate.from(value))
  .optional()
  .meta({
    description: 'The first of the seven days, yyyy-MM-dd. Default: the Monday of the current week.',
    example: '2027-07-05',
  });

const zone = (description: string) => timeZone.optional().meta({ description, example: 'Europe/London' });

export const weekQuery = z.object({
  from,
  timeZone: zone('IANA time zone for the days and local times. Default: the time zone of the Clinic.'),
  caregiverId: idListQuery('Only those of these Care Providers.'),
});
export type WeekQuery = z.output<typeof weekQuery>;

export const clientWeekQuery = z.object({
  from,
  timeZone: zone("IANA time zone of the days and local times. Default: the Client's, or else that of the Clinic."),
});
export type ClientWeekQuery = z.output<typeof clientWeekQuery>;
