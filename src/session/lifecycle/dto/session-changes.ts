import { z } from 'zod';
import {
  hourMinute,
  integerBetween,
  optionalText,
  requiredText,
  requestMeta,
  slashDate,
  storableText,
} from '../../../shared/validation/index.js';
import { CHANGE_SCOPES } from '../../domain/change-options.js';
import { CALLER_CANCEL_REASONS } from '../../domain/session-status.js';
import { MAX_DURATION_MINUTES } from '../../domain/session.entity.js';
import { changeQuery } from '../../scheduling/dto/change-query.js';

/* Request bodies and query parameters of the operations that change existing Sessions. */

export const scopedChangeQuery = changeQuery.extend({
  scope: z
    .enum(CHANGE_SCOPES, { error: `must be one of ${CHANGE_SCOPES.join(', ')}` })
    .default('this')
    .meta({
      description:
        'Which Sessions of the series: this one, this and those that start after it, or all. Of past Sessions, only the one in the path changes.',
      example: 'this',
    }),
});
export type ScopedChangeQuery = z.output<typeof scopedChangeQuery>;

export const undoQuery = scopedChangeQuery.extend({
  at: z.enum(['before', 'series'], { error: 'must be before or series' }).default('before').meta({
    description:
      'When a cancelled Session then is. `before`: at its previous time, with the warning `OUT_OF_ORDER` if the series has moved since. `series`: at the time of its plan week in the series (409 if it is taken or has passed).',
    example: 'before',
  }),
});
export type UndoQuery = z.output<typeof undoQuery>;

export const changeSessionSchema = z
  .object({
    title: requiredText(200).optional().meta({ description: 'New title.', example: 'Sleep session' }),
    description: storableText(4000)
      .nullish()
      .transform((text) => (text?.trim() === '' ? null : text))
      .meta({ description: 'New description; null removes it.', example: 'Weekly review of the sleep diary' }),
    date: slashDate.optional().meta({
      description: 'New date, yyyy/MM/dd. With a scope, the other Sessions move by the same number of days.',
    }),
    time: hourMinute.optional().meta({
      description: 'New time, HH:mm. With a scope, it also applies to Sessions at the same time as this one.',
    }),
    durationMinutes: integerBetween(1, MAX_DURATION_MINUTES)
      .optional()
      .meta({ description: 'Duration in minutes.', example: 50 }),
  })
  .refine((change) => Object.values<unknown>(change).some((value) => value !== undefined), 'must change something')
  .meta({
    id: 'ChangeSession',
    description: 'Changes only the fields that are present. Date and time are in the zone of the Session.',
    ...requestMeta({}, { move: { summary: 'To another day', value: { date: '2027/03/24', time: '10:00' } } }),
  });
export type ChangeSession = z.output<typeof changeSessionSchema>;

export const cancelSessionSchema = z
  .object({
    reason: z
      .enum(CALLER_CANCEL_REASONS, { error: `must be one of ${CALLER_CANCEL_REASONS.join(', ')}` })
      .meta({ description: 'Reason of the cancellation.', example: 'CLIENT_REQUEST' }),
    note: optionalText(500).meta({ description: 'The reason as text.', example: 'On holiday' }),
  })
  .meta({
    id: 'CancelSession',
    description: 'The reason of a cancellation.',
    ...requestMeta(
      {},
      { client: { summary: 'The Client has asked', value: { reason: 'CLIENT_REQUEST', note: 'On holiday' } } },
    ),
  });
export type CancelSession = z.output<typeof cancelSessionSchema>;
