import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, type ClinicPrincipal } from '../shared/access/index.js';
import { ApiCreatedByPut, created, Operation, put } from '../shared/http/index.js';
import { idParam, type Page } from '../shared/validation/index.js';
import {
  changePersonSchema,
  createPersonSchema,
  externalIdParam,
  putPersonSchema,
  recordQuery,
  careProviderPageSchema,
  careProviderSchema,
  type ChangePerson,
  type CreatePerson,
  type PutPerson,
  type RecordQuery,
  type CareProviderView,
} from './dto/records.js';
import { CareProviderService } from './care-provider.service.js';

const PATH = '/gateway/profile/clinic/care-provider';

@ApiTags('Directory')
@Controller(PATH)
export class CareProviderController {
  constructor(private readonly service: CareProviderService) {}

  @Post()
  @Operation({
    role: 'CLINIC',
    summary: 'Register a Care Provider',
    success: {
      status: 201,
      description: 'Registered.',
      headers: { Location: { description: 'Where to read it.', example: `${PATH}/1` } },
    },
    errors: [400, 409, 413, 415],
  })
  async create(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: createPersonSchema }) body: CreatePerson,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    created(reply, `${PATH}/${await this.service.create(caller, body)}`);
  }

  @Put('external/:externalId')
  @Operation({
    role: 'CLINIC',
    summary: 'Register or replace the Care Provider of an external id',
    description:
      'The same call again and again makes one record. 201 with its location when it was made, 204 when it was replaced. ' +
      'Optional fields that are absent are emptied; `active` stays as it is.',
    success: { status: 204, description: 'Replaced; 201 with `Location` when it was made.' },
    errors: [400, 413, 415],
  })
  @ApiCreatedByPut(`${PATH}/1`)
  async put(
    @Caller() caller: ClinicPrincipal,
    @Param('externalId', { schema: externalIdParam }) externalId: string,
    @Body({ schema: putPersonSchema }) body: PutPerson,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const result = await this.service.put(caller, externalId, body);
    put(reply, result, `${PATH}/${result.id}`);
  }

  @Get()
  @Operation({
    role: 'CLINIC',
    summary: 'List Care Providers',
    success: { status: 200, description: 'One page, in the order of the ids.', schema: careProviderPageSchema },
    errors: [400],
    clientData: true,
  })
  list(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: recordQuery }) query: RecordQuery,
  ): Promise<Page<CareProviderView>> {
    return this.service.list(caller, query);
  }

  @Get(':id')
  @Operation({
    role: 'CLINIC',
    summary: 'Read a Care Provider',
    success: { status: 200, description: 'The record.', schema: careProviderSchema },
    errors: [400, 404],
    clientData: true,
  })
  get(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<CareProviderView> {
    return this.service.get(caller, id);
  }

  @Patch(':id')
  @Operation({
    role: 'CLINIC',
    summary: 'Change a Care Provider',
    description: 'Changes the fields that are given and leaves the others.',
    success: { status: 200, description: 'The record as it is now.', schema: careProviderSchema },
    errors: [400, 404, 413, 415],
    clientData: true,
  })
  change(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: changePersonSchema }) body: ChangePerson,
  ): Promise<CareProviderView> {
    return this.service.change(caller, id, body);
  }

  @Delete(':id')
  @Operation({
    role: 'CLINIC',
    summary: 'Deactivate a Care Provider',
    description:
      'The record stays, with all that refers to it, but cannot be used for anything new. `PATCH` with `active: true` brings it back.',
    success: { status: 204, description: 'Deactivated.' },
    errors: [400, 404],
  })
  deactivate(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<void> {
    return this.service.deactivate(caller, id);
  }
}
