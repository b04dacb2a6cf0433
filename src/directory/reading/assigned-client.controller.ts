import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type CareProviderPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam, type Page } from '../../shared/validation/index.js';
import {
  assignedClientPageSchema,
  assignedClientSchema,
  type AssignedClientView,
} from '../dto/care-provider-reading-model.js';
import { personQuery, type PersonQuery } from '../dto/record-query.js';
import { AssignedClientReader } from './assigned-client.reader.js';

@ApiTags('Directory')
@Controller('/gateway/profile/caregiver/client')
@Access('CARE_PROVIDER')
export class AssignedClientController {
  constructor(private readonly reader: AssignedClientReader) {}

  @Get()
  @Operation({
    summary: 'List the Clients that are assigned to the caller',
    success: { status: 200, description: 'One page, in the order of `sort`.', schema: assignedClientPageSchema },
    mayBeStale: true,
    errors: [400],
    clientData: true,
  })
  listAssignedClients(
    @Caller() caller: CareProviderPrincipal,
    @Query({ schema: personQuery }) query: PersonQuery,
  ): Promise<Page<AssignedClientView>> {
    return this.reader.list(caller, query);
  }

  @Get(':id')
  @Operation({
    summary: 'Read a Client that is assigned to the caller',
    success: { status: 200, description: 'The Client.', schema: assignedClientSchema },
    errors: [400, 404],
    clientData: true,
  })
  getAssignedClient(
    @Caller() caller: CareProviderPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<AssignedClientView> {
    return this.reader.get(caller, id);
  }
}
