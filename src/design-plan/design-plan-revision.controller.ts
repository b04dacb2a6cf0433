import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClinicPrincipal } from '../shared/access/index.js';
import { Operation } from '../shared/http/index.js';
import { idParam, pageQuery, type Page, type PageQuery } from '../shared/validation/index.js';
import { DESIGN_PLAN_PATH } from './design-plan-location.js';
import { DesignPlanReader } from './design-plan.reader.js';
import { planDiffSchema, revisionParam } from './dto/design-plan-document.js';
import {
  designPlanRevisionSchema,
  designPlanRevisionPageSchema,
  type DesignPlanRevisionModel,
  type DesignPlanRevisionSummary,
} from './dto/design-plan-model.js';
import type { PlanDiff } from './domain/plan-diff.js';

@ApiTags('Design Plans')
@Controller(`${DESIGN_PLAN_PATH}/:id/revision`)
@Access('CLINIC')
export class DesignPlanRevisionController {
  constructor(private readonly reader: DesignPlanReader) {}

  @Get()
  @Operation({
    summary: 'List the revisions of a Design Plan',
    success: {
      status: 200,
      description: 'One page, newest first, without the weeks.',
      schema: designPlanRevisionPageSchema,
    },
    mayBeStale: true,
    errors: [400, 404],
  })
  listDesignPlanRevisions(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Query({ schema: pageQuery }) query: PageQuery,
  ): Promise<Page<DesignPlanRevisionSummary>> {
    return this.reader.listRevisions(caller, id, query);
  }

  @Get(':revision')
  @Operation({
    summary: 'Read a revision of a Design Plan',
    success: {
      status: 200,
      description: 'The content of the plan at this revision.',
      schema: designPlanRevisionSchema,
    },
    errors: [400, 404],
  })
  getDesignPlanRevision(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Param('revision', { schema: revisionParam }) revision: number,
  ): Promise<DesignPlanRevisionModel> {
    return this.reader.getRevision(caller, id, revision);
  }

  @Get(':from/diff/:to')
  @Operation({
    summary: 'Compare two revisions of a Design Plan',
    description:
      'Weeks, Books and reminders that were added, removed or moved. Weeks are matched by name, Books by id, and reminders by their Book.',
    success: { status: 200, description: 'What differs.', schema: planDiffSchema },
    errors: [400, 404],
  })
  compareDesignPlanRevisions(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Param('from', { schema: revisionParam }) from: number,
    @Param('to', { schema: revisionParam }) to: number,
  ): Promise<PlanDiff> {
    return this.reader.compareRevisions(caller, id, from, to);
  }
}
