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
    summary: 'Reassign the Clients of a Care Provider to another one',
    description:
      'In one transaction. A Client of both stays assigned to the new Care Provider. The Care Provider in the path may be ' +
      'deactivated. Repeating the call changes nothing.',
    success: { status: 200, description: 'The Clients that were reassigned.', schema: reassignClientsResultSchema },
    errors: [400, 404, 413, 415, 422],
    representation: 'default',
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
