import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClientPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam, type SyncPage } from '../../shared/validation/index.js';
import { clientReadQuery, type ClientReadQuery } from '../include/include-names.js';
import { ClientSessionReader } from './client-session.reader.js';
import {
  clientSessionPageSchema,
  clientSessionQuery,
  clientSessionSchema,
  type ClientSession,
  type ClientSessionQuery,
} from './dto/client-session.js';

/** Operations with which Clients read their own Sessions. */
@ApiTags('Sessions')
@Controller('/gateway/profile/client/session')
@Access('CLIENT')
export class ClientSessionController {
  constructor(private readonly reader: ClientSessionReader) {}

  @Get()
  @Operation({
    summary: 'List my Sessions',
    description: "The Client's own Sessions with their homework, in the order of their start, cancelled ones included.",
    success: { status: 200, description: 'One page of Sessions.', schema: clientSessionPageSchema },
    mayBeStale: true,
    errors: [400, 410],
    clientData: true,
  })
  listSessions(
    @Caller() caller: ClientPrincipal,
    @Query({ schema: clientSessionQuery }) query: ClientSessionQuery,
  ): Promise<SyncPage<ClientSession>> {
    return this.reader.listSessions(caller, query);
  }

  @Get(':id')
  @Operation({
    summary: 'Read one of my Sessions',
    success: { status: 200, description: 'The Session.', schema: clientSessionSchema },
    errors: [400, 404],
    clientData: true,
  })
  getSession(
    @Caller() caller: ClientPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Query({ schema: clientReadQuery }) query: ClientReadQuery,
  ): Promise<ClientSession> {
    return this.reader.getSession(caller, id, query);
  }
}
