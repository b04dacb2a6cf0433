import { z } from 'zod';
import {
  hourMinute,
  integerBetween,
  requiredText,
  requestMeta,
  slashDate,
  text,
} from '../../../shared/validation/index.js';
import { CALLER_CANCEL_REASONS } from '../../domain/session-status.js';
import { MAX_DURATION_MINUTES } from '../../domain/session.entity.js';
import { changeQuery } from '../../scheduling/dto/change-query.js';

/* Request bodies and query parameters of the operations that change existing Sessions. */

export const SCOPES = ['this', 'following', 'series'] as const;
export type Scope = (typeof SCOPES)[number];

export const scopedQuery = changeQuery.extend({
  scope: z
    .enum(SCOPES, { error: `must be one of ${SCOPES.join(', ')}` })
    .default('this')
    .meta({
      description:
        'Which Sessions of the series: this one, this and those that start after it, or all. Those that have happened stay as they are.',
      example: 'this',
    }),
});
export type ScopedQuery = z.output<typeof scopedQuery>;

export const undoQuery = scopedQuery.extend({
  at: z
    .enum(['before', 'series'], { error: 'must be before or series' })
    .default('before')
    .meta({
      description:
        'Where a cancelled Session comes back to: `before`, its date and time of before, with the warning `OUT_OF_ORDER` where ' +
        'the series has moved meanwhile; `series`, the place that its week has in the series as it is now (409 where that is ' +
        'taken or has passed).',
      example: 'before',
    }),
});
export type UndoQuery = z.output<typeof undoQuery>;

export const changeSessionSchema = z
  .object({
    title: requiredText(200).optional().meta({ description: 'New title.', example: 'Sleep session' }),
    description: text(4000)
      .nullish()
      .meta({ description: 'New description; null empties it.', example: 'Weekly review of the sleep diary' }),
    date: slashDate.optional().meta({
      description: 'New date, yyyy/MM/dd. With a scope, the others move by as many days.',
    }),
    time: hourMinute.optional().meta({
      description: 'New time, HH:mm. With a scope, for the others that are at the same time as this one.',
    }),
    durationMinutes: integerBetween(1, MAX_DURATION_MINUTES)
      .optional()
      .meta({ description: 'How long it lasts, in minutes.', example: 50 }),
  })
  .refine((change) => Object.values<unknown>(change).some((value) => value !== undefined), 'must change something')
  .meta({
    id: 'ChangeSession',
    description:
      'Changes the fields that are given and leaves the others. Date and time stand in the zone of the Session.',
    ...requestMeta({}, { move: { summary: 'To another day', value: { date: '2027/03/24', time: '10:00' } } }),
  });
export type ChangeSession = z.output<typeof changeSessionSchema>;

export const cancelSessionSchema = z
  .object({
    reason: z
      .enum(CALLER_CANCEL_REASONS, { error: `must be one of ${CALLER_CANCEL_REASONS.join(', ')}` })
      .meta({ description: 'Why it is cancelled.', example: 'CLIENT_REQUEST' }),
    note: text(500)
      .nullish()
      .transform((note) => note ?? undefined)
      .meta({ description: 'In words.', example: 'On holiday' }),
  })
  .meta({
    id: 'CancelSession',
    description: 'Why a Session is cancelled.',
    ...requestMeta(
      {},
      { client: { summary: 'The Client has asked', value: { reason: 'CLIENT_REQUEST', note: 'On holiday' } } },
    ),
  });
export type CancelSession = z.output<typeof cancelSessionSchema>;
