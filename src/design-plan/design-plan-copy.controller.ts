import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, Caller, type ClinicPrincipal } from '../shared/access/index.js';
import { setLocation, withEtagHeader, Operation, WantsRepresentation } from '../shared/http/index.js';
import { idParam } from '../shared/validation/index.js';
import { DESIGN_PLAN_PATH, createdPlanHeaders, toPlanLocation } from './design-plan-location.js';
import { DesignPlanReader } from './design-plan.reader.js';
import { DesignPlanService } from './design-plan.service.js';
import {
  cloneDesignPlanSchema,
  designPlanDocumentSchema,
  designPlanImportSchema,
  type CloneDesignPlan,
  type DesignPlanDocument,
  type ImportDesignPlan,
} from './dto/design-plan-document.js';
import { designPlanSchema, toDesignPlanModel, type DesignPlanModel } from './dto/design-plan-model.js';

/** Copies Design Plans within a Clinic, and exports and imports them as documents. */
@ApiTags('Design Plans')
@Controller(DESIGN_PLAN_PATH)
@Access('CLINIC')
export class DesignPlanCopyController {
  constructor(
    private readonly service: DesignPlanService,
    private readonly reader: DesignPlanReader,
  ) {}

  @Post('import')
  @Operation({
    summary: 'Create a Design Plan from an exported document',
    description: 'The document refers to Books by their ids, so this Clinic must be allowed to use these Books.',
    success: { status: 201, description: 'Created.', headers: createdPlanHeaders },
    representation: designPlanSchema,
    errors: [400, 413, 415, 422],
  })
  async importDesignPlan(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: designPlanImportSchema }) body: ImportDesignPlan,
    @WantsRepresentation() wantsRepresentation: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel | undefined> {
    const id = await this.service.createPlan(caller, body.plan, undefined, '/plan');
    return this.respondCreated(caller, id, wantsRepresentation, reply);
  }

  @Post(':id/clone')
  @Operation({
    summary: 'Clone a Design Plan',
    description:
      'Creates a plan with the same content. Plans and templates of the Clinic can be cloned into each other.',
    success: { status: 201, description: 'Created.', headers: createdPlanHeaders },
    representation: designPlanSchema,
    errors: [400, 404, 413, 415],
  })
  async cloneDesignPlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: cloneDesignPlanSchema }) body: CloneDesignPlan,
    @WantsRepresentation() wantsRepresentation: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DesignPlanModel | undefined> {
    return this.respondCreated(caller, await this.service.clonePlan(caller, id, body), wantsRepresentation, reply);
  }

  @Get(':id/export')
  @Operation({
    summary: 'Export a Design Plan as one document',
    success: {
      status: 200,
      description: 'The document, in the format of the import.',
      schema: designPlanDocumentSchema,
    },
    mayBeStale: true,
    errors: [400, 404],
  })
  exportDesignPlan(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<DesignPlanDocument> {
    return this.reader.exportPlan(caller, id);
  }

  private async respondCreated(
    caller: ClinicPrincipal,
    id: number,
    wantsRepresentation: boolean,
    reply: FastifyReply,
  ): Promise<DesignPlanModel | undefined> {
    setLocation(reply, toPlanLocation(id));
    if (!wantsRepresentation) return undefined;
    const plan = await this.reader.getPlan(caller, id);
    return withEtagHeader(reply, plan.version, toDesignPlanModel(plan));
  }
}
