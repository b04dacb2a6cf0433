import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type ClinicPrincipal } from '../../shared/access/index.js';
import { clientImportSchema } from '../dto/import-model.js';
import {
  clientPageSchema,
  clientSchema,
  changePersonSchema,
  createPersonSchema,
  putPersonSchema,
  type ClientView,
  type ChangePerson,
  type CreatePerson,
  type PutPerson,
} from '../dto/record-model.js';
import { personQuery } from '../dto/record-query.js';
import { RecordController } from '../record/record.controller.js';
import { ClientService } from './client.service.js';

const PATH = '/gateway/profile/clinic/client';

@ApiTags('Directory')
@Controller(PATH)
@Access('CLINIC')
export class ClientController extends RecordController<
  ClinicPrincipal,
  CreatePerson,
  PutPerson,
  ChangePerson,
  ClientView
>({
  path: PATH,
  name: 'Client',
  singular: 'a Client',
  plural: 'Clients',
  schema: clientSchema,
  page: clientPageSchema,
  query: personQuery,
  create: createPersonSchema,
  put: putPersonSchema,
  change: changePersonSchema,
  importLine: clientImportSchema,
  clientData: true,
  // The response contains the assignments of the Client, which can change without its version.
  isResponseVersion: false,
}) {
  constructor(protected override readonly service: ClientService) {
    super(service);
  }
}
