import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, type ClinicPrincipal } from '../shared/access/index.js';
import { created, Operation } from '../shared/http/index.js';
import { ApiOffsetHeader, RequestZone } from '../shared/time/index.js';
import { idParam } from '../shared/validation/index.js';
import { DesignPlanService } from './design-plan.service.js';
import { createDesignPlanSchema, type CreateDesignPlan } from './dto/create-design-plan.js';
import { designPlanSchema, type DesignPlanModel } from './dto/design-plan-model.js';

const PATH = '/gateway/profile/clinic/design-plan';
/** The form of the location that the specification gives (4.1); it answers like the path above. */
const LOCATION = '/design-plan';

@ApiTags('Design Plans')
@Controller()
export class DesignPlanController {
  constructor(private readonly service: DesignPlanService) {}

  @Post(PATH)
  @Operation({
    role: 'CLINIC',
    summary: 'Create a Design Plan',
    description: 'Stores the plan with all its weeks, or nothing (specification, 4.1). The answer has no body.',
    success: {
      status: 201,
      description: 'Created.',
      headers: { Location: { description: 'Where to read the plan.', example: `${LOCATION}/1` } },
    },
    errors: [400, 413, 415, 422],
  })
  @ApiOffsetHeader()
  async createPlan(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: createDesignPlanSchema }) body: CreateDesignPlan,
    @RequestZone() requestZone: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    created(reply, `${LOCATION}/${await this.service.createPlan(caller, body, requestZone)}`);
  }

  @Get(`${PATH}/:id`)
  @ReadOperation()
  getPlan(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<DesignPlanModel> {
    return this.service.getPlan(caller, id);
  }

  @Get(`${LOCATION}/:id`)
  @ReadOperation('At the location that the creation answers with.')
  getPlanAtLocation(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<DesignPlanModel> {
    return this.service.getPlan(caller, id);
  }
}

function ReadOperation(description?: string) {
  return Operation({
    role: 'CLINIC',
    summary: 'Read a Design Plan',
    description,
    success: { status: 200, description: 'The plan.', schema: designPlanSchema },
    errors: [400, 404],
  });
}
