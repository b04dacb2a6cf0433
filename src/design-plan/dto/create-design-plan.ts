import { z } from 'zod';
import { parseDateTime, type ParsedDateTime } from '../../shared/time/index.js';
import {
  acceptAliases,
  hourMinute,
  integerBetween,
  integerFrom,
  safeInteger,
  optionalList,
  longId,
  requiredText,
  optionalLongId,
  optionalText,
  requestMeta,
} from '../../shared/validation/index.js';
import type { PlanWeek } from '../domain/plan-content.js';

/* Request body of "Create a Design Plan" (docs/specification.md; docs/decisions.md, "Design Plans"). */

const assignRemind = z
  .object({
    reminderDay: integerBetween(0, 7)
      .transform((day) => day || 1)
      .meta({
        description: "Day of the plan week, 1 to 7; 1 is the week's first day, and 0 is read as 1.",
        example: 1,
      }),
    time: hourMinute.meta({ description: 'Local time of the reminder, 24-hour clock HH:mm.', example: '09:30' }),
  })
  .meta({ id: 'AssignRemindModel', description: 'The day and time of a homework reminder in the plan week.' });

const assignment = z
  .object({
    bookId: longId('A homework Book of the shared catalogue or of the Clinic.', 1),
    assignReminds: optionalList(assignRemind, 20).meta({ description: 'Reminders of this Book, 0 to 20.' }),
  })
  .meta({ id: 'AssignmentModel', description: 'A homework Book with its reminders.' });

const week = z
  .object({
    name: optionalText(200).meta({
      description: 'Name of the week. Default: `Week <ordering>`.',
      example: 'Week 1',
    }),
    ordering: integerFrom(0).nullish().meta({
      description: 'Position in the plan, unique within it. Default: its place in the list, from 1.',
      example: 1,
    }),
    assignments: optionalList(assignment, 50).meta({ description: 'Homework of the week, 0 to 50 Books.' }),
  })
  .meta({ id: 'WeekModel', description: 'One week of homework.' });

const createdDate = z
  .string({ error: 'must be a date such as 2023/08/21 09:30' })
  .max(64, 'must be a date such as 2023/08/21 09:30')
  .nullish()
  .transform((value, context): ParsedDateTime | undefined => {
    if (value == null) return undefined;
    const moment = parseDateTime(value);
    if (moment === undefined) {
      context.issues.push({
        code: 'custom',
        message: 'must be a real date: yyyy/MM/dd HH:mm, yyyy/MM/dd, d/M/yy h:mm AM|PM or ISO 8601',
        input: value,
      });
    }
    return moment;
  })
  .meta({
    description:
      'Date of creation: `yyyy/MM/dd HH:mm`, `yyyy/MM/dd`, `d/M/yy h:mm AM|PM`, or an ISO 8601 date-time; without an offset, in the zone of the request. Default: now.',
    example: '2023/08/21 09:30',
  });

/** Maximum size of the weeks. A request has a body of at most 1 MiB, so a plan can be sent back as it was read. */
const MAX_WEEKS_BYTES = 1_000_000;
const WEEKS_LIMIT = `at most ${MAX_WEEKS_BYTES.toLocaleString('en')} bytes`;

const planName = requiredText(200);

const aliases = { planName: 'name', createdDate: 'createDate' };

/** Each example is valid with the data of the demonstration. */
const examples = {
  twoWeeks: {
    summary: 'Two weeks of homework',
    value: {
      planName: 'Two weeks of better sleep',
      createdDate: '2023/08/21 09:30',
      appointmentTitle: 'Sleep session',
      appointmentDesc: 'Weekly review of the sleep diary',
      caregiverId: 1,
      clinicId: 1,
      weeks: [
        {
          name: 'Week 1',
          ordering: 1,
          assignments: [{ bookId: 1, assignReminds: [{ reminderDay: 1, time: '09:30' }] }],
        },
        {
          name: 'Week 2',
          ordering: 2,
          assignments: [
            {
              bookId: 2,
              assignReminds: [
                { reminderDay: 2, time: '20:00' },
                { reminderDay: 5, time: '20:00' },
              ],
            },
            { bookId: 7, assignReminds: [] },
          ],
        },
      ],
    },
  },
  smallest: { summary: 'The name alone', value: { planName: 'An empty plan' } },
  otherNames: {
    summary: 'With the other names of two fields',
    value: { name: 'A plan with the other names', createDate: '21/8/23 9:30 AM', weeks: [] },
  },
};

const body = z
  .object({
    planName: planName.meta({
      description: 'Name of the plan, 1 to 200 characters. Mandatory, here or as `name`.',
      example: 'Eight weeks of better sleep',
    }),
    createdDate,
    appointmentTitle: optionalText(200).meta({
      description: 'Title of Sessions created by this plan.',
      example: 'Sleep session',
    }),
    appointmentDesc: optionalText(4000).meta({
      description: 'Description of Sessions created by this plan.',
      example: 'Weekly review of the sleep diary',
    }),
    caregiverId: optionalLongId('Care Provider of the plan, of the same Clinic.', 1),
    clinicId: optionalLongId("Clinic that owns the plan; only the caller's.", 1),
    template: z
      .boolean({ error: 'must be true or false' })
      .nullish()
      .transform((template) => template ?? false)
      .meta({ description: 'True for a template, from which the Clinic clones plans.', example: false }),
    weeks: optionalList(week, 104)
      .transform(assignOrderings)
      .refine(hasUniqueOrderings, 'must not have two weeks of the same ordering')
      .refine(areWithinLimit, `must have ${WEEKS_LIMIT} as compact JSON with all members`)
      .meta({ description: `The weeks of the plan, 0 to 104; ${WEEKS_LIMIT} as read.` }),
  })
  .meta({
    id: 'CreateDesignPlan',
    description:
      'The name is mandatory, as `planName` or as `name`; all else is optional. Two fields have a second name: `name` for ' +
      '`planName`, `createDate` for `createdDate`. Both with different values are refused. The creation ignores ' +
      'unknown fields unless the request prefers strict handling.',
    ...requestMeta(aliases, examples),
  });

export const createDesignPlanSchema = acceptAliases(aliases, body);
export type CreateDesignPlan = z.output<typeof createDesignPlanSchema>;

const READ_ONLY = 'Read-only: absent, or as read.';
const readOnlyInteger = (meaning: string) =>
  safeInteger()
    .nullish()
    .meta({ description: `${meaning} ${READ_ONLY}`, example: 1 });

const REPLACEMENT = {
  summary: 'One week of homework',
  value: { planName: 'One week of better sleep', weeks: [{ assignments: [{ bookId: 1, assignReminds: [] }] }] },
};

/**
 * Callers can send back a plan that they have read, so the request also accepts the fields that only the service sets.
 * A value other than the stored one is refused.
 */
export const replaceDesignPlanSchema = acceptAliases(
  aliases,
  body
    .extend({
      id: optionalLongId(`Id of the plan. ${READ_ONLY}`, 1),
      revision: readOnlyInteger('Number of the current revision.'),
      version: readOnlyInteger('The version.'),
      archived: z
        .boolean({ error: 'must be true or false' })
        .nullish()
        .meta({ description: `Whether the plan is archived. ${READ_ONLY}`, example: false }),
    })
    .meta({
      id: 'ReplaceDesignPlan',
      description: 'The content of a plan, and its read-only members as they were read.',
      ...requestMeta(aliases, { oneWeek: REPLACEMENT }),
    }),
);
export type ReplaceDesignPlan = CreateDesignPlan & Partial<z.output<typeof replaceDesignPlanSchema>>;

function assignOrderings(weeks: z.output<typeof week>[]): PlanWeek[] {
  return weeks.map(({ name, ordering, assignments }, index) => {
    const place = ordering ?? index + 1;
    return { name: name ?? `Week ${place}`, ordering: place, assignments };
  });
}

function areWithinLimit(weeks: readonly PlanWeek[]): boolean {
  return Buffer.byteLength(JSON.stringify(weeks)) <= MAX_WEEKS_BYTES;
}

function hasUniqueOrderings(weeks: readonly PlanWeek[]): boolean {
  return new Set(weeks.map(({ ordering }) => ordering)).size === weeks.length;
}
