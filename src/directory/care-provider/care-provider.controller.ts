import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type ClinicPrincipal } from '../../shared/access/index.js';
import { careProviderImportSchema } from '../dto/import-model.js';
import {
  careProviderPageSchema,
  careProviderSchema,
  changePersonSchema,
  createPersonSchema,
  putPersonSchema,
  type CareProviderView,
  type ChangePerson,
  type CreatePerson,
  type PutPerson,
} from '../dto/record-model.js';
import { personQuery } from '../dto/record-query.js';
import { RecordController } from '../record/record.controller.js';
import { CareProviderService } from './care-provider.service.js';

const PATH = '/gateway/profile/clinic/care-provider';

@ApiTags('Directory')
@Controller(PATH)
@Access('CLINIC')
export class CareProviderController extends RecordController<
  ClinicPrincipal,
  CreatePerson,
  PutPerson,
  ChangePerson,
  CareProviderView
>({
  path: PATH,
  name: 'CareProvider',
  singular: 'a Care Provider',
  plural: 'Care Providers',
  schema: careProviderSchema,
  page: careProviderPageSchema,
  query: personQuery,
  create: createPersonSchema,
  put: putPersonSchema,
  change: changePersonSchema,
  importLine: careProviderImportSchema,
  clientData: true,
}) {
  constructor(protected override readonly service: CareProviderService) {
    super(service);
  }
}
