// The door of the Design Plans: other modules import from here and from nowhere deeper.
export { DesignPlan } from './domain/design-plan.entity.js';
export { DesignPlanRevision } from './domain/design-plan-revision.entity.js';
export { DesignPlanModule } from './design-plan.module.js';
export { DesignPlanReader } from './design-plan.reader.js';
export { DesignPlanService } from './design-plan.service.js';
export { getAppointmentTitle, type PlanContent, type Week } from './domain/plan-content.js';
