import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { longId } from '../../shared/validation/index.js';
import type { DesignPlan } from '../design-plan.entity.js';

/* The specification's DesignPlanModel (2.3): what is read back. */

const storedWeek = z
  .object({
    name: z.string().meta({ description: 'Name of the week.', example: 'Week 1' }),
    ordering: z.int().meta({ description: 'Position of the week in the plan.', example: 1 }),
    assignments: z
      .array(
        z.object({
          bookId: longId('A homework Book.'),
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

export const designPlanSchema = z
  .object({
    id: longId('Id of the plan, given by this service.'),
    planName: z.string().meta({ description: 'Name of the plan.', example: 'Eight weeks of better sleep' }),
    createdDate: z
      .string()
      .meta({ description: 'Date of creation, ISO 8601 in UTC.', example: '2023-08-21T08:30:00.000Z' }),
    appointmentTitle: z
      .string()
      .nullable()
      .meta({ description: 'Title of Sessions created by this plan.', example: 'Sleep session' }),
    appointmentDesc: z
      .string()
      .nullable()
      .meta({ description: 'Description of Sessions created by this plan.', example: 'Weekly review' }),
    clinicId: longId('Clinic that owns the plan.'),
    caregiverId: longId('Care Provider of the plan.').nullable(),
    weeks: z.array(storedWeek).meta({ description: 'The weeks, in `ordering` order.' }),
  })
  .meta({ id: 'DesignPlanModel', description: 'A Design Plan as stored (specification, 2.3).' });

export type DesignPlanModel = z.output<typeof designPlanSchema>;

export function viewDesignPlan(plan: DesignPlan): DesignPlanModel {
  const { id, planName, appointmentTitle, appointmentDesc, clinicId, caregiverId, weeks } = plan;
  return {
    id,
    planName,
    createdDate: formatInstant(plan.createdDate),
    appointmentTitle,
    appointmentDesc,
    clinicId,
    caregiverId,
    weeks,
  };
}
