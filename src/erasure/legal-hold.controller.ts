import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClinicPrincipal } from '../shared/access/index.js';
import { Operation } from '../shared/http/index.js';
import { idParam, idParamWithExample } from '../shared/validation/index.js';
import { legalHoldSchema, putLegalHoldSchema, type LegalHoldModel, type PutLegalHold } from './dto/legal-hold-model.js';
import { LegalHoldService } from './legal-hold.service.js';

/** A Client of the demonstration with a legal hold. */
const heldClientId = idParamWithExample(1);

/** Legal holds, which prevent the erasure of a Client. */
@ApiTags('Directory')
@Controller('/gateway/profile/clinic/client')
@Access('CLINIC')
export class LegalHoldController {
  constructor(private readonly service: LegalHoldService) {}

  @Put(':id/legal-hold')
  @Operation({
    summary: 'Set a legal hold for a Client',
    description: 'The Client cannot be erased until it is lifted. An open request of an erasure is refused.',
    success: { status: 200, description: 'The hold.', schema: legalHoldSchema },
    errors: [400, 404, 409, 413, 415],
    clientData: true,
  })
  putLegalHold(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: putLegalHoldSchema }) body: PutLegalHold,
  ): Promise<LegalHoldModel> {
    return this.service.put(caller, id, body);
  }

  @Get(':id/legal-hold')
  @Operation({
    summary: 'Read whether there is a legal hold for a Client',
    success: { status: 200, description: 'The hold.', schema: legalHoldSchema },
    errors: [400, 404],
    clientData: true,
  })
  getLegalHold(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: heldClientId }) id: number,
  ): Promise<LegalHoldModel> {
    return this.service.get(caller, id);
  }

  @Delete(':id/legal-hold')
  @Operation({
    summary: 'Lift the legal hold of a Client',
    description: 'Repeating the call changes nothing.',
    success: { status: 204, description: 'There is no hold.' },
    errors: [400, 404],
  })
  deleteLegalHold(@Caller() caller: ClinicPrincipal, @Param('id', { schema: heldClientId }) id: number): Promise<void> {
    return this.service.lift(caller, id);
  }
}
