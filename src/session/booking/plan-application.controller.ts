import { Body, Controller, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, Caller, type CareProviderPrincipal } from '../../shared/access/index.js';
import { setLocation, Operation } from '../../shared/http/index.js';
import { ApiOffsetHeader, RequestZone } from '../../shared/time/index.js';
import { idParam } from '../../shared/validation/index.js';
import { applyPlanSchema, type ApplyPlan } from './dto/apply-plan.js';
import { seriesChangeSchema, type SeriesChange } from '../scheduling/dto/series-change.js';
import { changeQuery, type ChangeQuery } from '../scheduling/dto/change-query.js';
import { PlanApplicationService } from './plan-application.service.js';

const SERIES = '/gateway/profile/caregiver/series';

@ApiTags('Series')
@Controller('/gateway/profile/caregiver/design-plan')
@Access('CARE_PROVIDER')
export class PlanApplicationController {
  constructor(private readonly service: PlanApplicationService) {}

  @Post(':id/apply')
  @Operation({
    summary: 'Apply a Design Plan to a Client',
    description:
      "One Session a week with the plan's title and description, the week's Books as its homework, and their reminders for the " +
      "Client, at their local time in the Client's zone; all or nothing. `dryRun=true` answers 200 with the same body and writes nothing.",
    success: {
      status: 201,
      description: 'Applied.',
      schema: seriesChangeSchema,
      headers: {
        Location: { description: 'The new series.', example: `${SERIES}/019abcde-0000-7000-8000-000000000000` },
      },
    },
    dryRun: true,
    errors: [400, 404, 409, 413, 415, 422],
    clientData: true,
  })
  @ApiOffsetHeader()
  async applyPlan(
    @Caller() caller: CareProviderPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: applyPlanSchema }) body: ApplyPlan,
    @Query({ schema: changeQuery }) query: ChangeQuery,
    @RequestZone() offset: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SeriesChange> {
    const change = await this.service.applyPlan(caller, id, body, query, offset);
    if (query.dryRun) reply.status(200);
    else setLocation(reply, `${SERIES}/${change.seriesId}`);
    return change;
  }
}
