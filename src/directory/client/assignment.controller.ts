import { Controller, Delete, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClinicPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam } from '../../shared/validation/index.js';
import { AssignmentService } from './assignment.service.js';

@ApiTags('Directory')
@Controller('/gateway/profile/clinic/client')
@Access('CLINIC')
export class AssignmentController {
  constructor(private readonly service: AssignmentService) {}

  @Put(':id/care-provider/:careProviderId')
  @Operation({
    summary: 'Assign a Client to a Care Provider',
    description: 'Repeating the call changes nothing.',
    success: { status: 204, description: 'Assigned.' },
    errors: [400, 404, 422],
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
    summary: 'End the assignment of a Client to a Care Provider',
    description: 'Existing Sessions are kept. Repeating the call changes nothing.',
    success: { status: 204, description: 'No longer assigned.' },
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
