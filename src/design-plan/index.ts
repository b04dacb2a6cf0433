// Public API of the design-plan module. Other modules import from this file only.
export { DesignPlan } from './domain/design-plan.entity.js';
export { DesignPlanRevision } from './domain/design-plan-revision.entity.js';
export { DesignPlanModule } from './design-plan.module.js';
export { createDesignPlanSchema } from './dto/create-design-plan.js';
export { exportedPlanRevisionSchema } from './dto/design-plan-model.js';
export { DesignPlanExportSource } from './design-plan-export.source.js';
export { DesignPlanReader } from './design-plan.reader.js';
export { DesignPlanService } from './design-plan.service.js';
export { collectBookIds, getAppointmentTitle, type PlanContent, type PlanWeek } from './domain/plan-content.js';
export { DESIGN_PLAN_ROWS_TO_ERASE } from './design-plan-erasure.js';
