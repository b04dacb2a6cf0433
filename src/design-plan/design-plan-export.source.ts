import { Injectable } from '@nestjs/common';
import { DesignPlanReader } from './design-plan.reader.js';
import { toDesignPlanRevisionModel, type ExportedPlanRevision } from './dto/design-plan-model.js';

/** Reads the Design Plans that were applied to a Client, for the export of the Client. */
@Injectable()
export class DesignPlanExportSource {
  constructor(private readonly reader: DesignPlanReader) {}

  /** @param revision the revision to read; null for the current one */
  async readPlan(clinicId: number, id: number, revision: number | null): Promise<ExportedPlanRevision> {
    // Sessions and series of the Client refer to the plan, and revisions are kept as long as their plan.
    const plan = (await this.reader.findPlan(clinicId, id))!;
    const content = (await this.reader.findRevision(plan, revision ?? plan.revision))!;
    return { id, ...toDesignPlanRevisionModel(content) };
  }
}
