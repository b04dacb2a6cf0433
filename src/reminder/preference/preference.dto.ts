import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { hourMinute, requestMeta } from '../../shared/validation/index.js';
import type { EffectivePreference, ReminderPreference } from '../domain/preference/reminder-preference.entity.js';
import { REMINDER_KINDS } from '../domain/delivery-decision.js';

/* How somebody wants to be reminded. */

const quietHours = z
  .object({
    from: hourMinute.meta({ description: 'First quiet minute, HH:mm on the own wall clock.', example: '21:00' }),
    to: hourMinute.meta({
      description: 'First minute that is not quiet any more, maybe of the next day.',
      example: '08:00',
    }),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], error: 'must differ from the beginning' })
  .meta({ description: 'What falls into these hours is sent at their end.' });

const optedOut = z
  .array(z.enum(REMINDER_KINDS, { error: `must be one of ${REMINDER_KINDS.join(', ')}` }))
  .max(REMINDER_KINDS.length)
  .transform((kinds) => [...new Set(kinds)]);

const fields = {
  channels: z
    .array(z.string().max(32).meta({ example: 'EMAIL' }), { error: 'must be a list' })
    .min(1, 'must name a channel')
    .max(10)
    .nullish()
    .transform((names) => (names ? [...new Set(names)] : null))
    .meta({
      description:
        'Channels in order of preference: the next is tried where one cannot reach you. null: as the Clinic.',
      example: ['EMAIL'],
    }),
  quietHours: quietHours
    .nullish()
    .transform((quiet) => quiet ?? null)
    .meta({
      description: 'Hours without reminders. null or absent: as the Clinic.',
      example: { from: '21:00', to: '08:00' },
    }),
  noQuietHours: z
    .boolean({ error: 'must be true or false' })
    .nullish()
    .transform((value) => value ?? false)
    .meta({ description: 'true: no quiet hours, whatever the Clinic has set.', example: false }),
};

const example = { channels: null, quietHours: { from: '21:00', to: '08:00' }, optedOut: ['HOMEWORK'] };

/** Of a Client or a Care Provider. */
export const putPreferenceSchema = z
  .object({
    ...fields,
    optedOut: optedOut
      .nullish()
      .transform((kinds) => kinds ?? [])
      .meta({ description: 'Kinds of reminders that you do not want.', example: ['HOMEWORK'] }),
  })
  .meta({
    id: 'PutReminderPreference',
    description: 'How you want to be reminded. What is absent is as the Clinic has it.',
    ...requestMeta({}, { quietNights: { summary: 'Nothing at night, and no homework', value: example } }),
  });

/** Of a Clinic, for those who have not said. */
export const putClinicPreferenceSchema = z
  .object({
    ...fields,
    revealing: z
      .boolean({ error: 'must be true or false' })
      .nullish()
      .transform((value) => value ?? false)
      .meta({
        description:
          'true: messages may say the titles of Sessions and Books. Absent or false: nothing that reveals care.',
        example: false,
      }),
  })
  .transform((preference) => ({ ...preference, optedOut: [] }))
  .meta({
    id: 'PutClinicReminderPreference',
    description: 'Defaults for Clients and Care Providers who have not said how they want to be reminded.',
    ...requestMeta({}, { quietNights: { summary: 'Nothing at night', value: { quietHours: example.quietHours } } }),
  });

export type PutPreference = z.output<typeof putPreferenceSchema> & { revealing?: boolean };

export const preferenceSchema = z
  .object({
    channels: z.array(z.string()).nullable().meta({ description: 'As chosen; null: as the Clinic.', example: null }),
    quietHours: quietHours.nullable().meta({ description: 'As chosen; null: as the Clinic.', example: null }),
    noQuietHours: z.boolean().meta({ description: 'true: no quiet hours at all.', example: false }),
    optedOut: z
      .array(z.enum(REMINDER_KINDS))
      .meta({ description: 'Kinds of reminders that are not wanted.', example: ['HOMEWORK'] }),
    revealing: z
      .boolean()
      .meta({ description: 'Whether messages may say titles: the Clinic decides.', example: false }),
    updatedAt: z
      .string()
      .nullable()
      .meta({ description: 'When it was last changed, ISO 8601 in UTC; null: never.', example: null }),
    effective: z
      .object({
        channels: z
          .array(z.string())
          .meta({ description: 'Channels that are tried, in this order.', example: ['EMAIL'] }),
        quietHours: quietHours.nullable().meta({ description: 'Hours without reminders; null: none.', example: null }),
        timeZone: z.string().meta({ description: 'Where these hours stand.', example: 'Europe/London' }),
      })
      .meta({ description: 'What holds in the end.' }),
  })
  .meta({ id: 'ReminderPreference', description: 'How somebody wants to be reminded.' });
export type PreferenceModel = z.output<typeof preferenceSchema>;

export function viewPreference(own: ReminderPreference | null, effective: EffectivePreference): PreferenceModel {
  return {
    channels: own?.channels ?? null,
    quietHours: own?.quietHours ?? null,
    noQuietHours: own?.noQuietHours ?? false,
    optedOut: own?.optedOut ?? [],
    revealing: effective.revealing,
    updatedAt: own && formatInstant(own.updatedAt),
    effective: {
      channels: [...effective.channels],
      quietHours: effective.quietHours,
      timeZone: effective.timeZone,
    },
  };
}
