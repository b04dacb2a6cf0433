import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, type ClinicPrincipal } from '../../shared/access/index.js';
import {
  setLocation,
  Operation,
  type NdjsonLine,
  NdjsonBody,
  setPutResult,
  toNdjson,
} from '../../shared/http/index.js';
import { idParam, type Page } from '../../shared/validation/index.js';
import { CareProviderService } from './care-provider.service.js';
import { importCareProviderSchema } from '../dto/import-model.js';
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
} from '../dto/record-model.js';
import {
  reassignClientsResultSchema,
  reassignClientsSchema,
  type ReassignClients,
  type ReassignClientsResult,
} from '../dto/reassign-clients.js';
import { ReassignmentService } from './reassignment.service.js';
import { RecordOperations } from '../record/record-operations.js';

const PATH = '/gateway/profile/clinic/care-provider';
const Operations = new RecordOperations({
  role: 'CLINIC',
  path: PATH,
  one: 'a Care Provider',
  many: 'Care Providers',
  schema: careProviderSchema,
  page: careProviderPageSchema,
  clientData: true,
});

@ApiTags('Directory')
@Controller(PATH)
export class CareProviderController {
  constructor(
    private readonly service: CareProviderService,
    private readonly reassignment: ReassignmentService,
  ) {}

  @Post()
  @Operations.Create()
  async createCareProvider(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: createPersonSchema }) body: CreatePerson,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    setLocation(reply, `${PATH}/${await this.service.create(caller, body)}`);
  }

  @Put('external/:externalId')
  @Operations.Put()
  async putCareProvider(
    @Caller() caller: ClinicPrincipal,
    @Param('externalId', { schema: externalIdParam }) externalId: string,
    @Body({ schema: putPersonSchema }) body: PutPerson,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const result = await this.service.put(caller, externalId, body);
    setPutResult(reply, result, `${PATH}/${result.id}`);
  }

  @Post('import')
  @Operations.Import(importCareProviderSchema)
  async importCareProviders(@Caller() caller: ClinicPrincipal, @NdjsonBody() lines: NdjsonLine[]): Promise<string> {
    return toNdjson(await this.service.import(caller, lines));
  }

  @Get()
  @Operations.List()
  listCareProviders(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: recordQuery }) query: RecordQuery,
  ): Promise<Page<CareProviderView>> {
    return this.service.list(caller, query);
  }

  @Get(':id')
  @Operations.Get()
  getCareProvider(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<CareProviderView> {
    return this.service.get(caller, id);
  }

  @Patch(':id')
  @Operations.Change()
  changeCareProvider(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: changePersonSchema }) body: ChangePerson,
  ): Promise<CareProviderView> {
    return this.service.change(caller, id, body);
  }

  @Delete(':id')
  @Operations.Deactivate()
  deactivateCareProvider(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<void> {
    return this.service.deactivate(caller, id);
  }

  @Post(':id/reassign')
  @Operation({
    role: 'CLINIC',
    summary: 'Hand the Clients of a Care Provider over to another',
    description:
      'All Clients or those that are named, in one step. Who is assigned to both already stays with the other. ' +
      'The one who hands over may be deactivated. The same call again changes nothing.',
    success: { status: 200, description: 'Who changed.', schema: reassignClientsResultSchema },
    errors: [400, 404, 413, 415, 422],
    clientData: true,
  })
  reassignClients(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: reassignClientsSchema }) body: ReassignClients,
  ): Promise<ReassignClientsResult> {
    return this.reassignment.reassign(caller, id, body);
  }
}
