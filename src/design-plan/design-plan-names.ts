import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { NameDirectory, type NameSource } from '../directory/index.js';
import { TenantEntityManager } from '../shared/persistence/index.js';
import { countList, parseCursor, toCursor, type Page } from '../shared/validation/index.js';
import { DesignPlan } from './domain/design-plan.entity.js';
import { toDesignPlanSummary, type DesignPlanQuery, type DesignPlanSummary } from './dto/design-plan-model.js';

type PlanDetails = { caregiverId: number | null; archived: boolean; template: boolean };

const PLAN_NAMES: NameSource<PlanDetails> = {
  table: 'design_plan',
  nameColumn: 'plan_name',
  timeColumns: { createdDate: 'created_date', updatedAt: 'updated_at' },
  detailColumns: ['caregiver_id', 'archived_at', 'template'],
  toDetails: (row) => ({
    caregiverId: row['caregiver_id'] === null ? null : Number(row['caregiver_id']),
    archived: row['archived_at'] !== null,
    template: row['template'] as boolean,
  }),
};

const cursorKey = z.tuple([z.int()]);

/** Lists the Design Plans of a Clinic that a search by name finds, or in the order of their names. */
@Injectable()
export class DesignPlanNames {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly names: NameDirectory,
  ) {}

  async list(clinicId: number, query: DesignPlanQuery): Promise<Page<DesignPlanSummary>> {
    const { name: search, cursor, limit, count, sort: order } = query;
    const [afterId] = parseCursor(cursor, cursorKey) ?? [];
    const accepts = ({ details }: { details: PlanDetails }) => isListed(details, query);
    const page = { search, accepts, order, afterId, limit };
    const { ids, matched } = await this.names.find(PLAN_NAMES, { clinicIds: [clinicId], ...page });
    const shown = ids.slice(0, limit);
    const plans = await this.em.find(DesignPlan, { clinicId, id: { $in: shown } }, { exclude: ['weeks'] });
    const planById = new Map((plans as DesignPlan[]).map((plan) => [plan.id, plan]));
    return {
      items: shown.flatMap((id) => planById.get(id) ?? []).map(toDesignPlanSummary),
      nextCursor: ids.length > limit ? toCursor([shown.at(-1)!]) : null,
      ...(await countList(count, (maximum) => Math.min(matched, maximum))),
    };
  }
}

function isListed(plan: PlanDetails, { caregiverId, archived, template }: DesignPlanQuery): boolean {
  return (
    plan.archived === archived &&
    (caregiverId === undefined || (plan.caregiverId !== null && caregiverId.includes(plan.caregiverId))) &&
    (template === undefined || plan.template === template)
  );
}
