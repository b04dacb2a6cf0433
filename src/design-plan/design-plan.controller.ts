import { Body, Controller, Delete, Get, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, Caller, type ClinicPrincipal } from '../shared/access/index.js';
import {
  ApiIfMatch,
  ETAG_RESPONSE_HEADER,
  setLocation,
  withEtagHeader,
  Operation,
  IfMatchVersion,
  OptionalIfMatchVersion,
  WantsRepresentation,
} from '../shared/http/index.js';
import { ApiOffsetHeader, RequestOffset } from '../shared/time/index.js';
import { idParam, type SyncPage } from '../shared/validation/index.js';
import { DesignPlanReader } from './design-plan.reader.js';
import { DesignPlanService } from './design-plan.service.js';
import {
  createDesignPlanSchema,
  replaceDesignPlanSchema,
  type CreateDesignPlan,
  type ReplaceDesignPlan,
} from './dto/create-design-plan.js';
import { DESIGN_PLAN_LOCATION, DESIGN_PLAN_PATH, createdPlanHeaders, toPlanLocation } from './design-plan-location.js';
import {
  designPlanPageSchema,
  designPlanQuery,
  designPlanSchema,
  toDesignPlanModel,
  type DesignPlanModel,
  type DesignPlanQuery,
  type DesignPlanSummary,
} from './dto/design-plan-model.js';

@ApiTags('Design Plans')
@Controller()
@Access('CLINIC')
export class DesignPlanController {
  constructor(
    private readonly service: DesignPlanService,
    private readonly reader: DesignPlanReader,
  ) {}

  @Post(DESIGN_PLAN_PATH)
  @Operation({
    isLenient: true,
    summary: 'Create a Design Plan',
    description: 'Stores the plan with all its weeks, or nothing (specification, 4.1). The answer has no body.',
    success: { status: 201, description: 'Created.', headers: createdPlanHeaders },
    representation: designPlanSchema,
    errors: [400, 413, 415, 422],
  })
  @ApiOffsetHeader('literal')
  async createDesignPlan(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: createDesignPlanSchema }) body: CreateDesignPlan,
    @RequestOffset() offset: string | undefined,
    @WantsRepresentation() wantsRepresentation: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel | undefined> {
    const id = await this.service.createPlan(caller, body, offset);
    setLocation(reply, toPlanLocation(id));
    return wantsRepresentation ? this.getDesignPlan(caller, id, reply) : undefined;
  }

  @Get(DESIGN_PLAN_PATH)
  @Operation({
    summary: 'List Design Plans',
    success: { status: 200, description: 'One page, without the weeks.', schema: designPlanPageSchema },
    mayBeStale: true,
    errors: [400, 410],
  })
  listDesignPlans(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: designPlanQuery }) query: DesignPlanQuery,
  ): Promise<SyncPage<DesignPlanSummary>> {
    return this.reader.listPlans(caller, query);
  }

  @Get(`${DESIGN_PLAN_PATH}/:id`)
  @ReadPlanOperation()
  async getDesignPlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel> {
    const plan = await this.reader.getPlan(caller, id);
    return withEtagHeader(reply, plan.version, toDesignPlanModel(plan));
  }

  @Get(`${DESIGN_PLAN_LOCATION}/:id`)
  @ReadPlanOperation('The path in the `Location` header of the creation.')
  getDesignPlanByLocation(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel> {
    return this.getDesignPlan(caller, id, reply);
  }

  @Put(`${DESIGN_PLAN_PATH}/:id`)
  @Operation({
    summary: 'Replace a Design Plan',
    description:
      'The current content becomes an earlier revision, unless it is the same. If `createdDate` is absent, it does not ' +
      'change. A plan can be sent back as it was read: 422 if a read-only member has another value.',
    success: {
      status: 200,
      description: 'The plan.',
      schema: designPlanSchema,
      headers: ETAG_RESPONSE_HEADER,
    },
    errors: [400, 404, 409, 412, 413, 415, 422, 428],
    representation: 'default',
  })
  @ApiIfMatch()
  @ApiOffsetHeader('literal')
  async replaceDesignPlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @IfMatchVersion() seenVersion: number,
    @Body({ schema: replaceDesignPlanSchema }) body: ReplaceDesignPlan,
    @RequestOffset() offset: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel> {
    const plan = await this.service.replacePlan(caller, id, seenVersion, body, offset);
    return withEtagHeader(reply, plan.version, toDesignPlanModel(plan));
  }

  @Delete(`${DESIGN_PLAN_PATH}/:id`)
  @Operation({
    summary: 'Archive a Design Plan',
    description: 'Lists no longer contain the plan by default; references to it are kept. Idempotent.',
    success: { status: 204, description: 'Archived.', headers: ETAG_RESPONSE_HEADER },
    representation: designPlanSchema,
    errors: [400, 404, 412],
  })
  @ApiIfMatch({ isRequired: false })
  async archiveDesignPlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @OptionalIfMatchVersion() seenVersion: number | undefined,
    @WantsRepresentation() wantsRepresentation: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel | undefined> {
    const plan = await this.service.archivePlan(caller, id, seenVersion);
    return withEtagHeader(reply, plan.version, wantsRepresentation ? toDesignPlanModel(plan) : undefined);
  }

  @Post(`${DESIGN_PLAN_PATH}/:id/restore`)
  @Operation({
    summary: 'Restore an archived Design Plan',
    description: 'Idempotent.',
    success: { status: 204, description: 'Restored.', headers: ETAG_RESPONSE_HEADER },
    representation: designPlanSchema,
    errors: [400, 404, 412],
  })
  @ApiIfMatch({ isRequired: false })
  async restoreDesignPlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @OptionalIfMatchVersion() seenVersion: number | undefined,
    @WantsRepresentation() wantsRepresentation: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel | undefined> {
    const plan = await this.service.restorePlan(caller, id, seenVersion);
    return withEtagHeader(reply, plan.version, wantsRepresentation ? toDesignPlanModel(plan) : undefined);
  }
}

function ReadPlanOperation(description?: string) {
  return Operation({
    summary: 'Read a Design Plan',
    description,
    success: { status: 200, description: 'The plan.', schema: designPlanSchema, headers: ETAG_RESPONSE_HEADER },
    errors: [400, 404],
    isResponseVersion: true,
  });
}
