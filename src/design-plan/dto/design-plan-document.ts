import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { integerBetween, requiredText, requestMeta } from '../../shared/validation/index.js';
import type { DesignPlan } from '../domain/design-plan.entity.js';
import { createDesignPlanSchema } from './create-design-plan.js';
import { designPlanSchema } from './design-plan-model.js';

/* Request and response bodies for cloning, exporting, importing and comparing plans. */

export const cloneDesignPlanSchema = z
  .object({
    planName: requiredText(200).optional().meta({
      description: 'Name of the new plan. Default: the name of the original.',
      example: 'Sleep, for shift workers',
    }),
    template: z
      .boolean({ error: 'must be true or false' })
      .optional()
      .meta({ description: 'Whether the new plan is a template. Default: false.', example: false }),
  })
  .meta({ id: 'CloneDesignPlan', description: 'Fields in which the new plan differs.' });
export type CloneDesignPlan = z.output<typeof cloneDesignPlanSchema>;

const FORMAT = 'care-scheduling/design-plan';

/** A plan as one document. Apart from Book IDs, it contains no IDs that are valid only in this installation. */
export const designPlanDocumentSchema = z
  .object({
    format: z.literal(FORMAT).meta({ description: 'The kind of document.', example: FORMAT }),
    formatVersion: z.literal(1).meta({ description: 'Version of the format.', example: 1 }),
    plan: designPlanSchema
      .pick({
        planName: true,
        createdDate: true,
        appointmentTitle: true,
        appointmentDesc: true,
        template: true,
        weeks: true,
      })
      .meta({ id: 'DesignPlanDocumentContent', description: 'What the plan says.' }),
  })
  .meta({ id: 'DesignPlanDocument', description: 'A Design Plan as one JSON document, for export and import.' });
export type DesignPlanDocument = z.output<typeof designPlanDocumentSchema>;

/** The document as accepted for import. The plan is validated in the same way as a new plan. */
export const designPlanImportSchema = z
  .object({
    format: z
      .literal(FORMAT, { error: `must be "${FORMAT}"` })
      .meta({ description: 'The kind of document.', example: FORMAT }),
    formatVersion: z.literal(1, { error: 'must be 1' }).meta({ description: 'Version of the format.', example: 1 }),
    plan: createDesignPlanSchema.meta({
      description: 'The content of the plan, as in the request that creates a plan.',
      example: { planName: 'Two weeks of better sleep', weeks: [] },
    }),
  })
  .meta({
    id: 'ImportDesignPlan',
    description: 'A Design Plan as exported.',
    ...requestMeta(
      {},
      {
        exported: {
          summary: 'As exported',
          value: { format: FORMAT, formatVersion: 1, plan: { planName: 'Two weeks of better sleep', weeks: [{}, {}] } },
        },
      },
    ),
  });
export type ImportDesignPlan = z.output<typeof designPlanImportSchema>;

export function toDesignPlanDocument({
  planName,
  createdDate,
  appointmentTitle,
  appointmentDesc,
  template,
  weeks,
}: Readonly<DesignPlan>): DesignPlanDocument {
  const plan = {
    planName,
    createdDate: formatInstant(createdDate),
    appointmentTitle,
    appointmentDesc,
    template,
    weeks,
  };
  return { format: FORMAT, formatVersion: 1, plan };
}

const placeFields = {
  bookId: z.int().meta({ description: 'The Book.', example: 1 }),
  ordering: z.int().meta({ description: 'Position of the week in the plan.', example: 1 }),
};
const placedWeek = z
  .object({
    name: z.string().meta({ description: 'Name of the week.', example: 'Week 1' }),
    ordering: placeFields.ordering,
  })
  .meta({ id: 'PlacedWeek', description: 'A week and its position.' });
const placedBook = z
  .object(placeFields)
  .meta({ id: 'PlacedBook', description: 'A Book assigned in the week at a position.' });
const placedReminder = z
  .object({
    ...placeFields,
    reminderDay: integerBetween(1, 7).meta({ description: 'Day of the plan week.', example: 1 }),
    time: z.string().meta({ description: 'Local time, HH:mm.', example: '09:30' }),
  })
  .meta({ id: 'PlacedReminder', description: 'A reminder of a Book in the week at a position.' });

const changeSchema = <T extends z.ZodType>(item: T, what: string) =>
  z
    .object({
      added: z.array(item).meta({ description: `${what} that only the second revision has.` }),
      removed: z.array(item).meta({ description: `${what} that only the first revision has.` }),
      moved: z
        .array(z.object({ from: item, to: item }))
        .meta({ description: `${what} that both have, at different places.` }),
    })
    .meta({ description: `What differs in ${what.toLowerCase()}.` });

export const planDiffSchema = z
  .object({
    weeks: changeSchema(placedWeek, 'Weeks'),
    books: changeSchema(placedBook, 'Books'),
    reminders: changeSchema(placedReminder, 'Reminders'),
  })
  .meta({ id: 'DesignPlanDiff', description: 'The differences between two revisions of a plan.' });

/** Path parameter: revision number. */
export const revisionParam = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be an integer from 1 to 999999999')
  .transform(Number)
  .meta({ description: 'Number of a revision.', example: '1' });
