import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, type ClinicPrincipal } from '../../shared/access/index.js';
import {
  setLocation,
  type NdjsonLine,
  NdjsonBody,
  Operation,
  setPutResult,
  toNdjson,
} from '../../shared/http/index.js';
import { idParam, type Page } from '../../shared/validation/index.js';
import { ClientService } from './client.service.js';
import { importClientSchema } from '../dto/import-model.js';
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
} from '../dto/record-model.js';
import { RecordOperations } from '../record/record-operations.js';

const PATH = '/gateway/profile/clinic/client';
const Operations = new RecordOperations({
  role: 'CLINIC',
  path: PATH,
  one: 'a Client',
  many: 'Clients',
  schema: clientSchema,
  page: clientPageSchema,
  clientData: true,
});

@ApiTags('Directory')
@Controller(PATH)
export class ClientController {
  constructor(private readonly service: ClientService) {}

  @Post()
  @Operations.Create()
  async createClient(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: createPersonSchema }) body: CreatePerson,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    setLocation(reply, `${PATH}/${await this.service.create(caller, body)}`);
  }

  @Put('external/:externalId')
  @Operations.Put()
  async putClient(
    @Caller() caller: ClinicPrincipal,
    @Param('externalId', { schema: externalIdParam }) externalId: string,
    @Body({ schema: putPersonSchema }) body: PutPerson,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const result = await this.service.put(caller, externalId, body);
    setPutResult(reply, result, `${PATH}/${result.id}`);
  }

  @Post('import')
  @Operations.Import(importClientSchema)
  async importClients(@Caller() caller: ClinicPrincipal, @NdjsonBody() lines: NdjsonLine[]): Promise<string> {
    return toNdjson(await this.service.import(caller, lines));
  }

  @Get()
  @Operations.List()
  listClients(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: recordQuery }) query: RecordQuery,
  ): Promise<Page<ClientView>> {
    return this.service.list(caller, query);
  }

  @Get(':id')
  @Operations.Get()
  getClient(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<ClientView> {
    return this.service.get(caller, id);
  }

  @Patch(':id')
  @Operations.Change()
  changeClient(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: changePersonSchema }) body: ChangePerson,
  ): Promise<ClientView> {
    return this.service.change(caller, id, body);
  }

  @Delete(':id')
  @Operations.Deactivate()
  deactivateClient(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<void> {
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
  assignClient(
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
  unassignClient(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Param('careProviderId', { schema: idParam }) careProviderId: number,
  ): Promise<void> {
    return this.service.unassign(caller, id, careProviderId);
  }
}
