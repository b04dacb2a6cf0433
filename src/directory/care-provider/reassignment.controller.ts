import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClinicPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam } from '../../shared/validation/index.js';
import {
  reassignClientsResultSchema,
  reassignClientsSchema,
  type ReassignClients,
  type ReassignClientsResult,
} from '../dto/reassign-clients.js';
import { ReassignmentService } from './reassignment.service.js';

@ApiTags('Directory')
@Controller('/gateway/profile/clinic/care-provider')
@Access('CLINIC')
export class ReassignmentController {
  constructor(private readonly service: ReassignmentService) {}

  @Post(':id/reassign')
  @Operation({
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
    return this.service.reassign(caller, id, body);
  }
}
