import { z } from 'zod';
import { isReminderOffset } from '../../../reminder/index.js';
import {
  acceptAliases,
  hourMinute,
  integerBetween,
  optionalList,
  longId,
  optionalLongId,
  optionalText,
  optionalTitle,
  requestMeta,
  slashDate,
} from '../../../shared/validation/index.js';
import { DEFAULT_INTERVAL_DAYS } from '../../domain/series-slots.js';
import { DEFAULT_DURATION_MINUTES, MAX_DURATION_MINUTES } from '../../domain/session.entity.js';

/* Request body of "Create Session(s)" (docs/specification.md; docs/decisions.md, "Creating Sessions"). */

export const TITLE_REQUIRED_MESSAGE = 'must be given, here or as appointmentTitle of the Design Plan';

const sessionCount = integerBetween(0, 100)
  .nullish()
  .transform((count) => count || 1)
  .meta({ description: 'Number of Sessions, 1 to 100. Absent, null and 0: one. All or none are created.', example: 1 });

const reminderOffset = z
  .string({ error: 'must be an ISO 8601 duration' })
  .max(32, { error: 'must be an ISO 8601 duration of at most 32 characters', abort: true })
  .refine(isReminderOffset, {
    error: 'must be an ISO 8601 duration such as -P1D, of at most ten years',
    abort: true,
  })
  // `-p1d` and `-PT1.5H` are the same as `-P1D` and `-PT1H30M`, so they must not become two reminders.
  .overwrite((offset) => Temporal.Duration.from(offset).toString())
  .meta({ example: '-P1D' });

/* Fields shared with the request body for applying a Design Plan. */

export const intervalDaysSchema = integerBetween(1, 365)
  .nullish()
  .transform((days) => days ?? DEFAULT_INTERVAL_DAYS)
  .meta({
    description: 'Days between two Sessions, 1 to 365.',
    example: 7,
    default: DEFAULT_INTERVAL_DAYS,
  });

export const remindDaysSchema = integerBetween(0, 3650)
  .nullish()
  .transform((days) => days ?? undefined)
  .meta({
    description:
      'Calendar days from the creation of each Session to a reminder for the Client and one for the Care Provider. Null: none.',
    example: 7,
  });

export const remindersSchema = optionalList(reminderOffset, 10)
  .transform((offsets) => [...new Set(offsets)])
  .meta({
    description:
      "ISO 8601 durations relative to the Session's start, up to 10, each for both recipients. Calendar units count " +
      'in local time, clock units exactly.',
    example: ['-P1D', '-PT2H'],
  });

export const durationMinutesSchema = integerBetween(1, MAX_DURATION_MINUTES)
  .nullish()
  .transform((minutes) => minutes ?? DEFAULT_DURATION_MINUTES)
  .meta({
    description: `Duration of each Session in minutes, 1 to ${MAX_DURATION_MINUTES}.`,
    example: DEFAULT_DURATION_MINUTES,
    default: DEFAULT_DURATION_MINUTES,
  });

const aliases = { caregiverId: 'CareProviderId', title: 'Title' };

/** Each example is valid in the demonstration directory. */
const examples = {
  series: {
    summary: 'A series of four Sessions with homework and reminders',
    value: {
      caregiverId: 1,
      title: 'Sleep session',
      clientId: 1,
      clinicId: 1,
      sessionCount: 4,
      bookIdList: [1, 2],
      description: 'Weekly review of the sleep diary',
      date: '2027/03/22',
      time: '09:30',
      remindDays: 7,
      intervalDays: 7,
      reminders: ['-P1D', '-PT2H'],
    },
  },
  smallest: {
    summary: 'One Session, no homework',
    value: { clientId: 2, date: '2027/03/22', time: '14:00', title: 'First appointment' },
  },
  template: {
    summary: 'All fields of the specification, with the other names of two of them',
    value: {
      CareProviderId: 1,
      Title: 'First appointment',
      clientId: 1,
      clinicId: 1,
      sessionCount: 0,
      bookIdList: null,
      description: '',
      date: '2027/03/22',
      time: '16:00',
      remindDays: null,
      designPlanId: 0,
      id: 0,
    },
  },
};

export const sessionFieldSchemas = {
  clientId: longId('The Client, one of the assigned Clients of the caller.', 1),
  date: slashDate.meta({
    description: 'Date of the (first) Session, yyyy/MM/dd, on the wall clock of the request. Past dates are allowed.',
  }),
  time: hourMinute.meta({
    description:
      'Time of the Session, 24-hour clock HH:mm. A time that a clock change skips moves later by the gap; of a repeated time, the first is used.',
  }),
  title: optionalTitle(200).meta({
    description: 'Title. Optional if the Design Plan gives one. Also named `Title`.',
    example: 'First appointment',
  }),
  description: optionalText(4000).meta({
    description: 'Purpose of the Session.',
    example: 'Getting to know each other',
  }),
  caregiverId: optionalLongId(
    'Care Provider of the Sessions, of the same Clinic. Default: the caller. Also named `CareProviderId`.',
    1,
  ),
  clinicId: optionalLongId("Clinic where the Client is registered; only the caller's.", 1),
  sessionCount,
  bookIdList: optionalList(longId('A homework Book.', 1), 100).meta({
    description: 'Books that become homework of every Session. Null: none. Duplicates are ignored.',
    example: [1, 2],
  }),
  remindDays: remindDaysSchema,
  designPlanId: optionalLongId(
    'A plan of the Clinic that provides an absent title and description, but no homework.',
    0,
  ),
  id: z.unknown().optional().meta({ description: 'Ignored: the service assigns ids.', example: 0 }),
  intervalDays: intervalDaysSchema,
  reminders: remindersSchema,
  durationMinutes: durationMinutesSchema,
};

/**
 * Creates the condition of a check of several fields: none of them has an error yet. By default, an error of any field
 * would skip the check. The path of an error is empty if the request is no object.
 */
export function areFieldsValid(...fields: readonly string[]) {
  return ({ issues }: { issues: readonly { path?: readonly unknown[] }[] }) =>
    issues.every(({ path: [field] = [] }) => typeof field === 'string' && !fields.includes(field));
}

/** Whether the request contains a title, or a Design Plan from which the title could be taken. */
export const hasTitle = ({ title, designPlanId }: { title?: string; designPlanId?: number }) =>
  title !== undefined || designPlanId !== undefined;
export const TITLE_ISSUE = {
  path: ['title'],
  error: TITLE_REQUIRED_MESSAGE,
  when: areFieldsValid('title', 'designPlanId'),
};

const body = z
  .object(sessionFieldSchemas)
  .refine(hasTitle, TITLE_ISSUE)
  .meta({
    id: 'CreateSessions',
    description:
      '`clientId`, `date` and `time` are mandatory; so is the title, unless the Design Plan gives one. Different values for the ' +
      'two names of a field are refused. Unknown fields are ignored unless the request prefers strict handling.',
    ...requestMeta(aliases, examples),
  });

export const createSessionsSchema = acceptAliases(aliases, body);
export type CreateSessions = z.output<typeof createSessionsSchema>;

export const sessionsCreatedSchema = z
  .object({
    message: z.string().meta({
      description: 'Text with the number of created Sessions, their ids, and the first warning of each kind.',
      example: '2 Sessions were created: 11, 12.',
    }),
  })
  .meta({ id: 'SessionsCreated', description: 'The response to a creation (specification, 4.2).' });
export type SessionsCreated = z.output<typeof sessionsCreatedSchema>;
