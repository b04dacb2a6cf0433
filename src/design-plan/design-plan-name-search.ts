import { Injectable } from '@nestjs/common';
import { NameSearch, type NameSearchSource } from '../directory/index.js';
import { TenantEntityManager } from '../shared/persistence/index.js';
import type { Page } from '../shared/validation/index.js';
import { DesignPlan } from './domain/design-plan.entity.js';
import { toDesignPlanSummary, type DesignPlanQuery, type DesignPlanSummary } from './dto/design-plan-model.js';

type PlanDetails = { caregiverId: number | null; archived: boolean; template: boolean };

const PLAN_NAMES: NameSearchSource<PlanDetails> = {
  table: 'design_plan',
  entity: DesignPlan,
  nameColumn: 'plan_name',
  timeColumns: { createdDate: 'created_date', updatedAt: 'updated_at' },
  detailColumns: ['caregiver_id', 'archived_at', 'template'],
  toDetails: (row) => ({
    caregiverId: row['caregiver_id'] === null ? null : Number(row['caregiver_id']),
    archived: row['archived_at'] !== null,
    template: row['template'] as boolean,
  }),
};

/** Lists the Design Plans of a Clinic for queries that search or sort by name. */
@Injectable()
export class DesignPlanNameSearch {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly names: NameSearch,
  ) {}

  searchPlans(clinicId: number, query: DesignPlanQuery): Promise<Page<DesignPlanSummary>> {
    const { name: search, cursor, limit, count, sort: order } = query;
    const accepts = (details: PlanDetails) => matchesPlanFilters(details, query);
    const page = { clinicIds: [clinicId], search, accepts, order, cursor, limit, count };
    return this.names.findPage(PLAN_NAMES, page, async (ids) => {
      const plans = await this.em.find(DesignPlan, { clinicId, id: { $in: ids } }, { exclude: ['weeks'] });
      return (plans as DesignPlan[]).map(toDesignPlanSummary);
    });
  }
}

/** Whether a plan matches the filters of a query. The filter by name is not checked here. */
export function matchesPlanFilters(plan: PlanDetails, { caregiverId, archived, template }: DesignPlanQuery): boolean {
  return (
    plan.archived === archived &&
    (caregiverId === undefined || (plan.caregiverId !== null && caregiverId.includes(plan.caregiverId))) &&
    (template === undefined || plan.template === template)
  );
}
