import { z } from 'zod';

/*
 * The schema of an overlap between Sessions. It is in the directory module because responses of both `session` and
 * `reminder` contain overlaps.
 */

const instant = (description: string) => z.string().meta({ description, example: '2027-03-28T08:30:00.000Z' });

export const scheduleConflictSchema = z
  .object({
    position: z.int().meta({ description: 'Position of the requested Session in its series.', example: 1 }),
    startsAt: instant('Start of the requested Session.'),
    endsAt: instant('End of the requested Session.'),
    with: z
      .enum(['CARE_PROVIDER', 'CLIENT', 'BOTH'])
      .meta({ description: 'The participant of both Sessions.', example: 'CARE_PROVIDER' }),
    otherSessionId: z.int().nullable().meta({
      description: 'The other Session; null in a dry run if that Session does not exist yet.',
      example: 12,
      format: 'int64',
    }),
    otherStartsAt: instant('Start of the other Session.'),
    otherEndsAt: instant('End of the other Session.'),
  })
  .meta({ id: 'ScheduleConflict', description: 'Two Sessions of one Care Provider or one Client that overlap.' });

/** A requested Session overlaps another Session of the same Care Provider or Client. */
export type ScheduleConflict = z.output<typeof scheduleConflictSchema>;
