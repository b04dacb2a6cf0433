import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import type { PlanContent, PlanWeek } from './plan-content.js';

const DesignPlanRevisionSchema = defineEntity({
  name: 'DesignPlanRevision',
  tableName: 'design_plan_revision',
  properties: {
    designPlanId: columnTypes.reference().primary(),
    revision: p.integer().primary(),
    clinicId: columnTypes.reference(),
    planName: p.text(),
    caregiverId: columnTypes.reference().nullable().strictNullable(),
    appointmentTitle: p.text().nullable().strictNullable(),
    appointmentDesc: p.text().nullable().strictNullable(),
    weeks: p.json<PlanWeek[]>(),
    supersededAt: columnTypes.instant(),
  },
});

/** The content of a Design Plan before it was replaced. Immutable. */
export class DesignPlanRevision extends DesignPlanRevisionSchema.class {
  constructor(plan: PlanContent & { id: number; clinicId: number; revision: number }, now: Temporal.Instant) {
    super();
    this.designPlanId = plan.id;
    this.revision = plan.revision;
    this.clinicId = plan.clinicId;
    this.planName = plan.planName;
    this.caregiverId = plan.caregiverId;
    this.appointmentTitle = plan.appointmentTitle;
    this.appointmentDesc = plan.appointmentDesc;
    this.weeks = plan.weeks;
    this.supersededAt = now;
  }
}
DesignPlanRevisionSchema.setClass(DesignPlanRevision);
