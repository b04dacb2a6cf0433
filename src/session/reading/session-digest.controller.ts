import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type StaffPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam } from '../../shared/validation/index.js';
import { sessionDigestSchema, type SessionDigest } from './dto/session-digest.js';
import { SessionDigestReader } from './session-digest.reader.js';

/** The operation that reads a digest, identical for Care Providers and Clinics. */
@ApiTags('Sessions')
abstract class SessionDigestController {
  constructor(private readonly reader: SessionDigestReader) {}

  @Get(':id/digest')
  @Operation({
    summary: 'Read the digest of a Session',
    success: { status: 200, description: 'The digest.', schema: sessionDigestSchema },
    errors: [400, 404],
    clientData: true,
  })
  getSessionDigest(
    @Caller() caller: StaffPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<SessionDigest> {
    return this.reader.getDigest(caller, id);
  }
}

@Controller('/gateway/profile/caregiver/session')
@Access('CARE_PROVIDER')
export class CareProviderSessionDigestController extends SessionDigestController {}

@Controller('/gateway/profile/clinic/session')
@Access('CLINIC')
export class ClinicSessionDigestController extends SessionDigestController {}
