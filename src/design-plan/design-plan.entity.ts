import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';

/** On which day of the plan week (1 is the first), at which local time (HH:mm). */
export type AssignRemind = { reminderDay: number; time: string };
/** One homework Book with its reminders. */
export type Assignment = { bookId: number; assignReminds: AssignRemind[] };
/** One week of homework at its place in the plan. */
export type Week = { name: string; ordering: number; assignments: Assignment[] };

const DesignPlanSchema = defineEntity({
  name: 'DesignPlan',
  tableName: 'design_plan',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    caregiverId: columns.reference().nullable().strictNullable(),
    planName: p.text(),
    createdDate: columns.instant(),
    appointmentTitle: p.text().nullable().strictNullable(),
    appointmentDesc: p.text().nullable().strictNullable(),
    weeks: p.json<Week[]>(),
  },
});

export type DesignPlanData = {
  planName: string;
  createdDate: Temporal.Instant;
  caregiverId?: number;
  appointmentTitle?: string;
  appointmentDesc?: string;
  weeks: readonly Week[];
};

/**
 * A schedule of weeks of homework (specification, 2.3). The weeks have no identity of their own, so
 * they are one JSON document: one write, one read.
 */
export class DesignPlan extends DesignPlanSchema.class {
  constructor(clinicId: number, data: DesignPlanData) {
    super();
    this.clinicId = clinicId;
    this.caregiverId = data.caregiverId ?? null;
    this.planName = data.planName;
    this.createdDate = data.createdDate;
    this.appointmentTitle = data.appointmentTitle ?? null;
    this.appointmentDesc = data.appointmentDesc ?? null;
    this.weeks = data.weeks.toSorted((a, b) => a.ordering - b.ordering);
  }
}
DesignPlanSchema.setClass(DesignPlan);
