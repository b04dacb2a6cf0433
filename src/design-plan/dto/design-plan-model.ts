import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import {
  booleanQuery,
  countQuery,
  longId,
  idListQuery,
  pageQuery,
  pageSchema,
  sortQuery,
  syncPageSchema,
  syncQuery,
  storableText,
} from '../../shared/validation/index.js';
import type { DesignPlan } from '../domain/design-plan.entity.js';
import type { DesignPlanRevision } from '../domain/design-plan-revision.entity.js';

/* DesignPlanModel (docs/specification.md, "DesignPlanModel"), with additional fields. */

const storedWeek = z
  .object({
    name: z.string().meta({ description: 'Name of the week.', example: 'Week 1' }),
    ordering: z.int().meta({ description: 'Position of the week in the plan.', example: 1 }),
    assignments: z
      .array(
        z.object({
          bookId: longId('The Book.'),
          assignReminds: z
            .array(
              z.object({
                reminderDay: z.int().meta({ description: 'Day of the plan week, 1 to 7.', example: 1 }),
                time: z.string().meta({ description: 'Local time, HH:mm.', example: '09:30' }),
              }),
            )
            .meta({ description: 'Reminders of this Book.' }),
        }),
      )
      .meta({ description: 'Homework of the week.' }),
  })
  .meta({ id: 'StoredWeekModel', description: 'One week of homework, as stored.' });

const title = z
  .string()
  .nullable()
  .meta({ description: 'Title of Sessions created by this plan.', example: 'Sleep session' });
const description = z
  .string()
  .nullable()
  .meta({ description: 'Description of Sessions created by this plan.', example: 'Weekly review' });
const planName = z.string().meta({ description: 'Name of the plan.', example: 'Eight weeks of better sleep' });
const revision = z.int().meta({
  description: 'Number of the revision: starts at 1, and increases with each change of the content.',
  example: 1,
});
const weeks = z.array(storedWeek).meta({ description: 'The weeks, in `ordering` order.' });

const summary = {
  id: longId('Id of the record.'),
  planName,
  createdDate: z.string().meta({ description: 'Date of creation.', example: '2023-08-21T08:30:00.000Z' }),
  appointmentTitle: title,
  appointmentDesc: description,
  clinicId: longId('The Clinic.'),
  caregiverId: longId('Care Provider of the plan.').nullable(),
  revision,
  template: z
    .boolean()
    .meta({ description: 'true for a template, from which the Clinic clones plans.', example: false }),
  archived: z.boolean().meta({ description: 'true if the plan is archived.', example: false }),
  version: z.int().meta({ description: 'Increases with each change: the `ETag`, for `If-Match`.', example: 1 }),
};

export const designPlanSchema = z
  .object({ ...summary, weeks })
  .meta({ id: 'DesignPlanModel', description: 'A Design Plan as stored (specification, 2.3).' });
const designPlanSummarySchema = z
  .object(summary)
  .meta({ id: 'DesignPlanSummary', description: 'A Design Plan without its weeks.' });
export const designPlanPageSchema = syncPageSchema(designPlanSummarySchema, 'DesignPlanPage');
export const designPlanRevisionSchema = z
  .object({
    planName,
    appointmentTitle: title,
    appointmentDesc: description,
    caregiverId: longId('Care Provider of the plan.').nullable(),
    revision,
    supersededAt: z.string().nullable().meta({
      description: 'Time at which the next revision replaced it. Null for the current revision.',
      example: null,
    }),
    weeks,
  })
  .meta({ id: 'DesignPlanRevision', description: 'The content of a Design Plan at one revision.' });
export const exportedPlanRevisionSchema = designPlanRevisionSchema
  .extend({ id: longId('Id of the record.') })
  .meta({ id: 'ExportedDesignPlan', description: 'A Design Plan as applied.' });
const designPlanRevisionSummarySchema = designPlanRevisionSchema
  .omit({ weeks: true })
  .meta({ id: 'DesignPlanRevisionSummary', description: 'A revision of a Design Plan, without its weeks.' });
export const designPlanRevisionPageSchema = pageSchema(designPlanRevisionSummarySchema, 'DesignPlanRevisionPage');

export type DesignPlanModel = z.output<typeof designPlanSchema>;
export type DesignPlanSummary = z.output<typeof designPlanSummarySchema>;
export type ExportedPlanRevision = z.output<typeof exportedPlanRevisionSchema>;
export type DesignPlanRevisionModel = z.output<typeof designPlanRevisionSchema>;
export type DesignPlanRevisionSummary = z.output<typeof designPlanRevisionSummarySchema>;

/** The fields of a plan or an earlier revision that a summary contains. */
type RevisionFields = Readonly<
  Pick<DesignPlan, 'planName' | 'appointmentTitle' | 'appointmentDesc' | 'caregiverId' | 'revision'>
> &
  Partial<Pick<DesignPlanRevision, 'supersededAt'>>;

const PLAN_SORTS = ['createdDate', 'name', 'updatedAt'] as const;
export const designPlanQuery = pageQuery.extend({
  // Not `requiredText`, whose `minLength` and `pattern` would narrow the released document.
  name: storableText(200)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .optional()
    .meta({
      description:
        'Only plans whose name contains all of these words. Case and accents are ignored: `emil` finds Émil.',
      example: 'sleep',
    }),
  caregiverId: idListQuery('Only those of these Care Providers.'),
  archived: booleanQuery
    .default(false)
    .meta({ description: 'true: only archived plans. Otherwise, only plans that are not archived.', example: 'false' }),
  template: booleanQuery
    .optional()
    .meta({ description: 'true: only templates; false: only the others.', example: 'false' }),
  sort: sortQuery(PLAN_SORTS, 'Order: by date of creation, by name, or by the last change.'),
  count: countQuery,
  ...syncQuery,
});
export type DesignPlanQuery = z.output<typeof designPlanQuery>;

export function toDesignPlanSummary(plan: Readonly<DesignPlan>): DesignPlanSummary {
  const { id, planName, appointmentTitle, appointmentDesc, clinicId, caregiverId, revision, template } = plan;
  return {
    id,
    planName,
    createdDate: formatInstant(plan.createdDate),
    appointmentTitle,
    appointmentDesc,
    clinicId,
    caregiverId,
    revision,
    template,
    archived: plan.archivedAt !== null,
    version: plan.version,
  };
}

export function toDesignPlanModel(plan: Readonly<DesignPlan>): DesignPlanModel {
  return { ...toDesignPlanSummary(plan), weeks: plan.weeks };
}

export function toDesignPlanRevisionSummary(row: RevisionFields): DesignPlanRevisionSummary {
  const { planName, appointmentTitle, appointmentDesc, caregiverId, revision } = row;
  const supersededAt = row.supersededAt === undefined ? null : formatInstant(row.supersededAt);
  return { planName, appointmentTitle, appointmentDesc, caregiverId, revision, supersededAt };
}

export function toDesignPlanRevisionModel(
  revision: Readonly<DesignPlanRevision> | Readonly<DesignPlan>,
): DesignPlanRevisionModel {
  return { ...toDesignPlanRevisionSummary(revision), weeks: revision.weeks };
}
