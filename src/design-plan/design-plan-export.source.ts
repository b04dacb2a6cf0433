import { Injectable } from '@nestjs/common';
import { TenantEntityManager, UNTRACKED } from '../shared/persistence/index.js';
import { DesignPlanRevision } from './domain/design-plan-revision.entity.js';
import { DesignPlan } from './domain/design-plan.entity.js';
import { toDesignPlanRevisionModel, type ExportedPlanRevision } from './dto/design-plan-model.js';

/** Reads the Design Plans that were applied to a Client, for the export of the Client. */
@Injectable()
export class DesignPlanExportSource {
  constructor(private readonly em: TenantEntityManager) {}

  /** @param revision the revision to read; null for the current one */
  async readPlan(clinicId: number, id: number, revision: number | null): Promise<ExportedPlanRevision> {
    const plan = await this.em.findOneOrFail(DesignPlan, { clinicId, id }, UNTRACKED);
    if (revision === null || revision === plan.revision) return { id, ...toDesignPlanRevisionModel(plan) };
    const key = { clinicId, designPlanId: id, revision };
    const earlier = await this.em.findOneOrFail(DesignPlanRevision, key, UNTRACKED);
    return { id, ...toDesignPlanRevisionModel(earlier) };
  }
}
