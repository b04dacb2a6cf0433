import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiCreatedByPut, created, Operation, put } from '../shared/http/index.js';
import { idParam, type Page } from '../shared/validation/index.js';
import {
  changeClinicSchema,
  createClinicSchema,
  externalIdParam,
  putClinicSchema,
  recordQuery,
  clinicPageSchema,
  clinicSchema,
  type ChangeClinic,
  type CreateClinic,
  type PutClinic,
  type RecordQuery,
  type ClinicView,
} from './dto/records.js';
import { ClinicService } from './clinic.service.js';

const PATH = '/gateway/admin/clinic';

@ApiTags('Administration')
@Controller(PATH)
export class ClinicController {
  constructor(private readonly service: ClinicService) {}

  @Post()
  @Operation({
    role: 'ADMIN',
    summary: 'Register a Clinic',
    success: {
      status: 201,
      description: 'Registered.',
      headers: { Location: { description: 'Where to read it.', example: `${PATH}/1` } },
    },
    errors: [400, 409, 413, 415],
  })
  async create(
    @Body({ schema: createClinicSchema }) body: CreateClinic,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    created(reply, `${PATH}/${await this.service.create(body)}`);
  }

  @Put('external/:externalId')
  @Operation({
    role: 'ADMIN',
    summary: 'Register or replace the Clinic of an external id',
    description:
      'The same call again and again makes one record. 201 with its location when it was made, 204 when it was replaced. ' +
      'Optional fields that are absent are emptied; `active` stays as it is.',
    success: { status: 204, description: 'Replaced; 201 with `Location` when it was made.' },
    errors: [400, 413, 415],
  })
  @ApiCreatedByPut(`${PATH}/1`)
  async put(
    @Param('externalId', { schema: externalIdParam }) externalId: string,
    @Body({ schema: putClinicSchema }) body: PutClinic,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const result = await this.service.put(externalId, body);
    put(reply, result, `${PATH}/${result.id}`);
  }

  @Get()
  @Operation({
    role: 'ADMIN',
    summary: 'List Clinics',
    success: { status: 200, description: 'One page, in the order of the ids.', schema: clinicPageSchema },
    errors: [400],
  })
  list(@Query({ schema: recordQuery }) query: RecordQuery): Promise<Page<ClinicView>> {
    return this.service.list(query);
  }

  @Get(':id')
  @Operation({
    role: 'ADMIN',
    summary: 'Read a Clinic',
    success: { status: 200, description: 'The record.', schema: clinicSchema },
    errors: [400, 404],
  })
  get(@Param('id', { schema: idParam }) id: number): Promise<ClinicView> {
    return this.service.get(id);
  }

  @Patch(':id')
  @Operation({
    role: 'ADMIN',
    summary: 'Change a Clinic',
    description: 'Changes the fields that are given and leaves the others.',
    success: { status: 200, description: 'The record as it is now.', schema: clinicSchema },
    errors: [400, 404, 413, 415],
  })
  change(
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: changeClinicSchema }) body: ChangeClinic,
  ): Promise<ClinicView> {
    return this.service.change(id, body);
  }

  @Delete(':id')
  @Operation({
    role: 'ADMIN',
    summary: 'Deactivate a Clinic',
    description:
      'The record stays, with all that refers to it, but cannot be used for anything new. `PATCH` with `active: true` brings it back.',
    success: { status: 204, description: 'Deactivated.' },
    errors: [400, 404],
  })
  deactivate(@Param('id', { schema: idParam }) id: number): Promise<void> {
    return this.service.deactivate(id);
  }
}
