import { Body, Controller, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, Caller, type CareProviderPrincipal } from '../../shared/access/index.js';
import { ApiOffsetHeader, RequestOffset } from '../../shared/time/index.js';
import { idParam } from '../../shared/validation/index.js';
import { applyPlanSchema, type ApplyPlan } from './dto/apply-plan.js';
import type { SeriesChange } from '../scheduling/dto/series-change.js';
import { changeQuery, type ChangeQuery } from '../scheduling/dto/change-query.js';
import {
  APPLY_PLAN_DOCUMENTATION,
  CreateSeriesOperation,
  EXAMPLE_SERIES_ID,
  setSeriesLocation,
} from './booking-operations.js';
import { ApplyPlanService } from './apply-plan.service.js';

const SERIES = '/gateway/profile/caregiver/series';

@ApiTags('Series')
@Controller('/gateway/profile/caregiver/design-plan')
@Access('CARE_PROVIDER')
export class ApplyPlanController {
  constructor(private readonly service: ApplyPlanService) {}

  @Post(':id/apply')
  @CreateSeriesOperation(APPLY_PLAN_DOCUMENTATION, `${SERIES}/${EXAMPLE_SERIES_ID}`, [404])
  @ApiOffsetHeader()
  async applyDesignPlan(
    @Caller() caller: CareProviderPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: applyPlanSchema }) body: ApplyPlan,
    @Query({ schema: changeQuery }) query: ChangeQuery,
    @RequestOffset() offset: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SeriesChange> {
    return setSeriesLocation(reply, SERIES, query, await this.service.applyPlan(caller, id, body, query, offset));
  }
}
