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
  clientPageSchema,
  clientSchema,
  type ChangePerson,
  type CreatePerson,
  type PutPerson,
  type RecordQuery,
  type ClientView,
} from './dto/records.js';
import { ClientService } from './client.service.js';

const PATH = '/gateway/profile/clinic/client';

@ApiTags('Directory')
@Controller(PATH)
export class ClientController {
  constructor(private readonly service: ClientService) {}

  @Post()
  @Operation({
    role: 'CLINIC',
    summary: 'Register a Client',
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
    summary: 'Register or replace the Client of an external id',
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
    summary: 'List Clients',
    success: { status: 200, description: 'One page, in the order of the ids.', schema: clientPageSchema },
    errors: [400],
    clientData: true,
  })
  list(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: recordQuery }) query: RecordQuery,
  ): Promise<Page<ClientView>> {
    return this.service.list(caller, query);
  }

  @Get(':id')
  @Operation({
    role: 'CLINIC',
    summary: 'Read a Client',
    success: { status: 200, description: 'The record.', schema: clientSchema },
    errors: [400, 404],
    clientData: true,
  })
  get(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<ClientView> {
    return this.service.get(caller, id);
  }

  @Patch(':id')
  @Operation({
    role: 'CLINIC',
    summary: 'Change a Client',
    description: 'Changes the fields that are given and leaves the others.',
    success: { status: 200, description: 'The record as it is now.', schema: clientSchema },
    errors: [400, 404, 413, 415],
    clientData: true,
  })
  change(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: changePersonSchema }) body: ChangePerson,
  ): Promise<ClientView> {
    return this.service.change(caller, id, body);
  }

  @Delete(':id')
  @Operation({
    role: 'CLINIC',
    summary: 'Deactivate a Client',
    description:
      'The record stays, with all that refers to it, but cannot be used for anything new. `PATCH` with `active: true` brings it back.',
    success: { status: 204, description: 'Deactivated.' },
    errors: [400, 404],
  })
  deactivate(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<void> {
    return this.service.deactivate(caller, id);
  }

  @Put(':id/care-provider/:careProviderId')
  @Operation({
    role: 'CLINIC',
    summary: 'Assign a Client to a Care Provider',
    description: 'The same call again changes nothing.',
    success: { status: 204, description: 'Assigned.' },
    errors: [400, 404],
  })
  assign(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Param('careProviderId', { schema: idParam }) careProviderId: number,
  ): Promise<void> {
    return this.service.assign(caller, id, careProviderId);
  }

  @Delete(':id/care-provider/:careProviderId')
  @Operation({
    role: 'CLINIC',
    summary: 'End the assignment of a Client to a Care Provider',
    description: 'The same call again changes nothing. Sessions that exist stay.',
    success: { status: 204, description: 'Not assigned any more.' },
    errors: [400, 404],
  })
  unassign(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Param('careProviderId', { schema: idParam }) careProviderId: number,
  ): Promise<void> {
    return this.service.unassign(caller, id, careProviderId);
  }
}
