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
