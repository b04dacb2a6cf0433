import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, Caller, type StaffPrincipal } from '../../shared/access/index.js';
import { ETAG_RESPONSE_HEADER, withEtagHeader, Operation } from '../../shared/http/index.js';
import { idParam, type SyncPage } from '../../shared/validation/index.js';
import {
  sessionPageSchema,
  sessionWithConflictsSchema,
  type SessionModel,
  type SessionWithConflicts,
} from './dto/session-model.js';
import { sessionQuery, type SessionQuery } from './dto/session-query.js';
import { staffReadQuery, type StaffReadQuery } from '../include/include-names.js';
import { SessionReader } from './session.reader.js';

/** Operations that read Sessions, identical for Care Providers and Clinics. */
@ApiTags('Sessions')
abstract class SessionController {
  constructor(private readonly reader: SessionReader) {}

  @Get()
  @Operation({
    summary: 'List Sessions',
    success: { status: 200, description: 'One page of Sessions.', schema: sessionPageSchema },
    mayBeStale: true,
    errors: [400, 410],
    clientData: true,
  })
  listSessions(
    @Caller() caller: StaffPrincipal,
    @Query({ schema: sessionQuery }) query: SessionQuery,
  ): Promise<SyncPage<SessionModel>> {
    return this.reader.listSessions(caller, query);
  }

  @Get(':id')
  @Operation({
    summary: 'Read a Session',
    success: {
      status: 200,
      description: 'The Session.',
      schema: sessionWithConflictsSchema,
      headers: ETAG_RESPONSE_HEADER,
    },
    errors: [400, 404],
    clientData: true,
  })
  async getSession(
    @Caller() caller: StaffPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Query({ schema: staffReadQuery }) query: StaffReadQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionWithConflicts> {
    const session = await this.reader.getSession(caller, id, query);
    return withEtagHeader(reply, session.version, session);
  }
}

@Controller('/gateway/profile/caregiver/session')
@Access('CARE_PROVIDER')
export class CareProviderSessionController extends SessionController {}

@Controller('/gateway/profile/clinic/session')
@Access('CLINIC')
export class ClinicSessionController extends SessionController {}
