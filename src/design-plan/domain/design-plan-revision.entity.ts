import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import { toUnreadableWeeks, type PlanContent } from './plan-content.js';

const DesignPlanRevisionSchema = defineEntity({
  name: 'DesignPlanRevision',
  tableName: 'design_plan_revision',
  properties: {
    designPlanId: columnTypes.reference().primary(),
    revision: p.integer().primary(),
    clinicId: columnTypes.reference(),
    planName: columnTypes.encrypted('CLINIC', 'clinicId'),
    caregiverId: columnTypes.reference().nullable().strictNullable(),
    appointmentTitle: columnTypes.encrypted('CLINIC', 'clinicId').nullable().strictNullable(),
    appointmentDesc: columnTypes.encrypted('CLINIC', 'clinicId').nullable().strictNullable(),
    weeks: columnTypes.encryptedJson('CLINIC', 'clinicId', toUnreadableWeeks),
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
