import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { hourMinute, requestMeta } from '../../shared/validation/index.js';
import type { EffectivePreference, ReminderPreference } from '../domain/preference/reminder-preference.entity.js';
import { REMINDER_KINDS } from '../domain/reminder-kinds.js';

const quietHours = z
  .object({
    from: hourMinute.meta({
      description: 'First quiet minute, HH:mm on the wall clock of the recipient.',
      example: '21:00',
    }),
    to: hourMinute.meta({
      description: 'First minute after the quiet hours, HH:mm, possibly on the next day.',
      example: '08:00',
    }),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], error: 'must differ from the beginning' })
  .meta({ id: 'QuietHours', description: 'The quiet hours. Reminders that are due in them are sent at their end.' });

const optedOut = z
  .array(z.enum(REMINDER_KINDS, { error: `must be one of ${REMINDER_KINDS.join(', ')}` }), { error: 'must be a list' })
  .max(REMINDER_KINDS.length, `must have at most ${REMINDER_KINDS.length} items`)
  .transform((kinds) => [...new Set(kinds)]);

const fields = {
  channels: z
    .array(z.string().max(32).meta({ example: 'EMAIL' }), { error: 'must be a list' })
    .min(1, 'must name a channel')
    .max(10, 'must have at most 10 items')
    .nullish()
    .transform((names) => (names ? [...new Set(names)] : null))
    .meta({
      description:
        'Channels in order of preference: if one cannot reach you, the next one is tried. Null: the default.',
      example: ['EMAIL'],
    }),
  quietHours: quietHours
    .nullish()
    .transform((quiet) => quiet ?? null)
    .meta({
      description: 'Hours without reminders. Null: the default.',
      example: { from: '21:00', to: '08:00' },
    }),
  noQuietHours: z
    .boolean({ error: 'must be true or false' })
    .nullish()
    .transform((value) => value ?? false)
    .meta({ description: 'true: no quiet hours, even if the Clinic has set some.', example: false }),
};

const example = { channels: null, quietHours: { from: '21:00', to: '08:00' }, optedOut: ['HOMEWORK'] };

/** The request body for Clients and Care Providers. */
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
    description: 'A whole reminder preference. Absent fields have the default of the Clinic.',
    ...requestMeta({}, { quietNights: { summary: 'Nothing at night, and no homework', value: example } }),
  });

/** The request body when a Clinic sets the defaults for recipients who have chosen nothing. */
export const putClinicPreferenceSchema = z
  .object({
    ...fields,
    revealing: z
      .boolean({ error: 'must be true or false' })
      .nullish()
      .transform((value) => value ?? false)
      .meta({
        description:
          'true: messages may contain the titles of Sessions and Books; otherwise nothing that reveals care.',
        example: false,
      }),
  })
  .transform((preference) => ({ ...preference, optedOut: [] }))
  .meta({
    id: 'PutClinicReminderPreference',
    description: 'Defaults for people who have chosen nothing. Absent fields have the default of the service.',
    ...requestMeta({}, { quietNights: { summary: 'Nothing at night', value: { quietHours: example.quietHours } } }),
  });

export type PutPreference = z.output<typeof putPreferenceSchema> & { revealing?: boolean };

export const preferenceSchema = z
  .object({
    channels: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The chosen value. Null for the default of the Clinic.', example: null }),
    quietHours: quietHours
      .nullable()
      .meta({ description: 'The chosen value. Null for the default of the Clinic.', example: null }),
    noQuietHours: z.boolean().meta({ description: 'true: no quiet hours.', example: false }),
    optedOut: z
      .array(z.enum(REMINDER_KINDS))
      .meta({ description: 'Kinds of reminders that the recipient does not want.', example: ['HOMEWORK'] }),
    revealing: z
      .boolean()
      .meta({ description: 'Whether messages may contain titles; set by the Clinic.', example: false }),
    updatedAt: z.string().nullable().meta({
      description: 'When the preference was last changed. Null if it never was.',
      example: null,
    }),
    effective: z
      .object({
        channels: z
          .array(z.string())
          .meta({ description: 'Channels that are tried, in this order.', example: ['EMAIL'] }),
        quietHours: quietHours.nullable().meta({ description: 'The quiet hours, or null.', example: null }),
        timeZone: z.string().meta({ description: 'The time zone of the quiet hours.', example: 'Europe/London' }),
      })
      .meta({ description: 'The values that apply once the defaults are filled in.' }),
  })
  .meta({
    id: 'ReminderPreference',
    description: 'The reminder preference of a recipient, or the defaults of a Clinic.',
  });
export type PreferenceModel = z.output<typeof preferenceSchema>;

export function toPreferenceModel(own: ReminderPreference | null, effective: EffectivePreference): PreferenceModel {
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
