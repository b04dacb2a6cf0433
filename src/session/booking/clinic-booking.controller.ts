import { Body, Controller, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, Caller, type ClinicPrincipal } from '../../shared/access/index.js';
import { ApiOffsetHeader, RequestOffset } from '../../shared/time/index.js';
import { idParam } from '../../shared/validation/index.js';
import { changeQuery, type ChangeQuery } from '../scheduling/dto/change-query.js';
import type { SeriesChange } from '../scheduling/dto/series-change.js';
import {
  APPLY_PLAN_DOCUMENTATION,
  CreateSeriesOperation,
  EXAMPLE_SERIES_ID,
  setSeriesLocation,
} from './booking-operations.js';
import {
  applyPlanAsClinicSchema,
  createSessionsAsClinicSchema,
  type ApplyPlanAsClinic,
  type CreateSessionsAsClinic,
} from './dto/clinic-booking.js';
import { ApplyPlanService } from './apply-plan.service.js';
import { SessionBookingService } from './session-booking.service.js';

const PATH = '/gateway/profile/clinic';
const SERIES = `${PATH}/series`;

/* Lets a Clinic create Sessions for its Care Providers, under the same rules as when a Care Provider creates them. */

@ApiTags('Sessions')
@Controller(`${PATH}/session`)
@Access('CLINIC')
export class ClinicSessionBookingController {
  constructor(private readonly service: SessionBookingService) {}

  @Post()
  @CreateSeriesOperation(
    {
      summary: 'Create Sessions for a Care Provider',
      description:
        'Creates the Sessions of the request as one series, with homework and reminders, or nothing. The Client must be assigned to ' +
        'the Care Provider.',
    },
    `${SERIES}/${EXAMPLE_SERIES_ID}`,
  )
  @ApiOffsetHeader()
  async createSessions(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: createSessionsAsClinicSchema }) body: CreateSessionsAsClinic,
    @Query({ schema: changeQuery }) query: ChangeQuery,
    @RequestOffset() offset: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SeriesChange> {
    return setSeriesLocation(reply, SERIES, query, await this.service.createSeries(caller, body, query, offset));
  }
}

@ApiTags('Series')
@Controller(`${PATH}/design-plan`)
@Access('CLINIC')
export class ClinicApplyPlanController {
  constructor(private readonly service: ApplyPlanService) {}

  @Post(':id/apply')
  @CreateSeriesOperation(APPLY_PLAN_DOCUMENTATION, `${SERIES}/${EXAMPLE_SERIES_ID}`, [404])
  @ApiOffsetHeader()
  async applyDesignPlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: applyPlanAsClinicSchema }) body: ApplyPlanAsClinic,
    @Query({ schema: changeQuery }) query: ChangeQuery,
    @RequestOffset() offset: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SeriesChange> {
    return setSeriesLocation(reply, SERIES, query, await this.service.applyPlan(caller, id, body, query, offset));
  }
}
