import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { setLocation, type NdjsonLine, NdjsonBody, setPutResult, toNdjson } from '../../shared/http/index.js';
import { idParam, type Page } from '../../shared/validation/index.js';
import { ClinicService } from './clinic.service.js';
import { importClinicSchema } from '../dto/import-model.js';
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
} from '../dto/record-model.js';
import { RecordOperations } from '../record/record-operations.js';

const PATH = '/gateway/admin/clinic';
const Operations = new RecordOperations({
  role: 'ADMIN',
  path: PATH,
  one: 'a Clinic',
  many: 'Clinics',
  schema: clinicSchema,
  page: clinicPageSchema,
});

@ApiTags('Administration')
@Controller(PATH)
export class ClinicController {
  constructor(private readonly service: ClinicService) {}

  @Post()
  @Operations.Create()
  async createClinic(
    @Body({ schema: createClinicSchema }) body: CreateClinic,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    setLocation(reply, `${PATH}/${await this.service.create(body)}`);
  }

  @Put('external/:externalId')
  @Operations.Put()
  async putClinic(
    @Param('externalId', { schema: externalIdParam }) externalId: string,
    @Body({ schema: putClinicSchema }) body: PutClinic,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const result = await this.service.put(externalId, body);
    setPutResult(reply, result, `${PATH}/${result.id}`);
  }

  @Post('import')
  @Operations.Import(importClinicSchema)
  async importClinics(@NdjsonBody() lines: NdjsonLine[]): Promise<string> {
    return toNdjson(await this.service.import(lines));
  }

  @Get()
  @Operations.List()
  listClinics(@Query({ schema: recordQuery }) query: RecordQuery): Promise<Page<ClinicView>> {
    return this.service.list(query);
  }

  @Get(':id')
  @Operations.Get()
  getClinic(@Param('id', { schema: idParam }) id: number): Promise<ClinicView> {
    return this.service.get(id);
  }

  @Patch(':id')
  @Operations.Change()
  changeClinic(
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: changeClinicSchema }) body: ChangeClinic,
  ): Promise<ClinicView> {
    return this.service.change(id, body);
  }

  @Delete(':id')
  @Operations.Deactivate()
  deactivateClinic(@Param('id', { schema: idParam }) id: number): Promise<void> {
    return this.service.deactivate(id);
  }
}
