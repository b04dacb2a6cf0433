import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type AdminPrincipal } from '../../shared/access/index.js';
import { clinicImportSchema } from '../dto/import-model.js';
import {
  clinicPageSchema,
  clinicSchema,
  changeClinicSchema,
  createClinicSchema,
  putClinicSchema,
  type ClinicView,
  type ChangeClinic,
  type CreateClinic,
  type PutClinic,
} from '../dto/record-model.js';
import { clinicQuery, type ClinicQuery } from '../dto/record-query.js';
import { RecordController } from '../record/record.controller.js';
import { ClinicService } from './clinic.service.js';

const PATH = '/gateway/admin/clinic';

@ApiTags('Administration')
@Controller(PATH)
@Access('ADMIN')
export class ClinicController extends RecordController<
  AdminPrincipal,
  CreateClinic,
  PutClinic,
  ChangeClinic,
  ClinicView,
  ClinicQuery
>({
  path: PATH,
  name: 'Clinic',
  singular: 'a Clinic',
  plural: 'Clinics',
  schema: clinicSchema,
  page: clinicPageSchema,
  query: clinicQuery,
  create: createClinicSchema,
  put: putClinicSchema,
  change: changeClinicSchema,
  importLine: clinicImportSchema,
}) {
  constructor(protected override readonly service: ClinicService) {
    super(service);
  }
}
