import { Body, Controller, Delete, Get, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, Caller, type ClinicPrincipal } from '../shared/access/index.js';
import { ApiIfMatch, setLocation, withEtag, Operation, IfMatchVersion } from '../shared/http/index.js';
import { ApiOffsetHeader, RequestZone } from '../shared/time/index.js';
import { idParam, type SyncPage } from '../shared/validation/index.js';
import { DesignPlanReader } from './design-plan.reader.js';
import { DesignPlanService } from './design-plan.service.js';
import { createDesignPlanSchema, type CreateDesignPlan } from './dto/create-design-plan.js';
import {
  cloneDesignPlanSchema,
  designPlanDocumentSchema,
  importDesignPlanSchema,
  type CloneDesignPlan,
  type DesignPlanDocument,
  type ImportDesignPlan,
} from './dto/design-plan-document.js';
import {
  designPlanPageSchema,
  designPlanQuery,
  designPlanSchema,
  toDesignPlanModel,
  type DesignPlanModel,
  type DesignPlanQuery,
  type DesignPlanSummary,
} from './dto/design-plan-model.js';

const PATH = '/gateway/profile/clinic/design-plan';
/**
 * The path of the `Location` header (docs/specification.md, "Create a Design Plan"). A GET request to the location
 * returns the plan.
 */
const LOCATION = '/design-plan';

const planLocation = { Location: { description: 'Where to read the plan.', example: `${LOCATION}/1` } };
const entityTag = { ETag: { description: 'The version, for `If-Match`.', example: '"1"' } };

@ApiTags('Design Plans')
@Controller()
@Access('CLINIC')
export class DesignPlanController {
  constructor(
    private readonly service: DesignPlanService,
    private readonly reader: DesignPlanReader,
  ) {}

  @Post(PATH)
  @Operation({
    isLenient: true,
    summary: 'Create a Design Plan',
    description: 'Stores the plan with all its weeks, or nothing (specification, 4.1). The answer has no body.',
    success: { status: 201, description: 'Created.', headers: planLocation },
    errors: [400, 413, 415, 422],
  })
  @ApiOffsetHeader('literal')
  async createPlan(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: createDesignPlanSchema }) body: CreateDesignPlan,
    @RequestZone() requestZone: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    setLocation(reply, `${LOCATION}/${await this.service.createPlan(caller, body, requestZone)}`);
  }

  @Post(`${PATH}/import`)
  @Operation({
    summary: 'Create a Design Plan from an exported document',
    description: 'Books are referred to by their ids, so they must be usable by this Clinic.',
    success: { status: 201, description: 'Created.', headers: planLocation },
    errors: [400, 413, 415, 422],
  })
  async importPlan(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: importDesignPlanSchema }) body: ImportDesignPlan,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    setLocation(reply, `${LOCATION}/${await this.service.createPlan(caller, body.plan, undefined, '/plan')}`);
  }

  @Get(PATH)
  @Operation({
    summary: 'List Design Plans',
    success: { status: 200, description: 'One page, without the weeks.', schema: designPlanPageSchema },
    errors: [400, 410],
  })
  listPlans(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: designPlanQuery }) query: DesignPlanQuery,
  ): Promise<SyncPage<DesignPlanSummary>> {
    return this.reader.listPlans(caller, query);
  }

  @Get(`${PATH}/:id`)
  @ReadPlanOperation()
  async getPlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel> {
    const plan = await this.reader.getPlan(caller, id);
    return withEtag(reply, plan.version, toDesignPlanModel(plan));
  }

  @Get(`${LOCATION}/:id`)
  @ReadPlanOperation('At the location that the creation answers with.')
  getPlanAtLocation(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel> {
    return this.getPlan(caller, id, reply);
  }

  @Put(`${PATH}/:id`)
  @Operation({
    summary: 'Replace a Design Plan',
    description: 'What the plan said becomes an earlier revision. An absent `createdDate` leaves it as it is.',
    success: { status: 200, description: 'The plan as it is now.', schema: designPlanSchema, headers: entityTag },
    errors: [400, 404, 409, 412, 413, 415, 422, 428],
  })
  @ApiIfMatch()
  @ApiOffsetHeader('literal')
  async replacePlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @IfMatchVersion() seenVersion: number,
    @Body({ schema: createDesignPlanSchema }) body: CreateDesignPlan,
    @RequestZone() requestZone: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel> {
    const plan = await this.service.replacePlan(caller, id, seenVersion, body, requestZone);
    return withEtag(reply, plan.version, toDesignPlanModel(plan));
  }

  @Delete(`${PATH}/:id`)
  @Operation({
    summary: 'Archive a Design Plan',
    description: 'Takes it out of the lists; what refers to it stays. The same call again changes nothing.',
    success: { status: 204, description: 'Archived.' },
    errors: [400, 404],
  })
  archivePlan(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<void> {
    return this.service.archivePlan(caller, id);
  }

  @Post(`${PATH}/:id/restore`)
  @Operation({
    summary: 'Restore an archived Design Plan',
    description: 'The same call again changes nothing.',
    success: { status: 204, description: 'Restored.' },
    errors: [400, 404],
  })
  restorePlan(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<void> {
    return this.service.restorePlan(caller, id);
  }

  @Post(`${PATH}/:id/clone`)
  @Operation({
    summary: 'Clone a Design Plan',
    description: 'A new plan that says the same; also from and to the templates of the Clinic.',
    success: { status: 201, description: 'Created.', headers: planLocation },
    errors: [400, 404, 413, 415],
  })
  async clonePlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: cloneDesignPlanSchema }) body: CloneDesignPlan,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    setLocation(reply, `${LOCATION}/${await this.service.clonePlan(caller, id, body)}`);
  }

  @Get(`${PATH}/:id/export`)
  @Operation({
    summary: 'Export a Design Plan as one document',
    success: { status: 200, description: 'The document, as the import takes it.', schema: designPlanDocumentSchema },
    errors: [400, 404],
  })
  exportPlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<DesignPlanDocument> {
    return this.reader.exportPlan(caller, id);
  }
}

function ReadPlanOperation(description?: string) {
  return Operation({
    summary: 'Read a Design Plan',
    description,
    success: { status: 200, description: 'The plan.', schema: designPlanSchema, headers: entityTag },
    errors: [400, 404],
  });
}
