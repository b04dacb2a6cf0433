import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type CareProviderPrincipal } from '../shared/access/index.js';
import { Operation } from '../shared/http/index.js';
import { idParam, type SyncPage } from '../shared/validation/index.js';
import { DesignPlanReader } from './design-plan.reader.js';
import {
  designPlanPageSchema,
  designPlanQuery,
  designPlanSchema,
  toDesignPlanModel,
  type DesignPlanModel,
  type DesignPlanQuery,
  type DesignPlanSummary,
} from './dto/design-plan-model.js';

/** Lets Care Providers read the plans of their Clinic. */
@ApiTags('Design Plans')
@Controller('/gateway/profile/caregiver/design-plan')
@Access('CARE_PROVIDER')
export class CareProviderDesignPlanController {
  constructor(private readonly reader: DesignPlanReader) {}

  @Get()
  @Operation({
    summary: "List the Design Plans of the caller's Clinic",
    success: { status: 200, description: 'One page, without the weeks.', schema: designPlanPageSchema },
    mayBeStale: true,
    errors: [400, 410],
  })
  listDesignPlans(
    @Caller() caller: CareProviderPrincipal,
    @Query({ schema: designPlanQuery }) query: DesignPlanQuery,
  ): Promise<SyncPage<DesignPlanSummary>> {
    return this.reader.listPlans(caller, query);
  }

  @Get(':id')
  @Operation({
    summary: "Read a Design Plan of the caller's Clinic",
    success: { status: 200, description: 'The plan.', schema: designPlanSchema },
    errors: [400, 404],
  })
  async getDesignPlan(
    @Caller() caller: CareProviderPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<DesignPlanModel> {
    return toDesignPlanModel(await this.reader.getPlan(caller, id));
  }
}
