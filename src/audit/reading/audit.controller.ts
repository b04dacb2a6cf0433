import { Controller, Get, Header, Query, Req, Res } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { Access, Caller, type AdminPrincipal, type ClinicPrincipal } from '../../shared/access/index.js';
import { NDJSON, Operation } from '../../shared/http/index.js';
import type { Page } from '../../shared/validation/index.js';
import { AuditReader } from './audit.reader.js';
import {
  auditExportQuery,
  auditEntryPageSchema,
  auditQuery,
  auditEntrySchema,
  EXPORT_LINES,
  type AuditExportQuery,
  type AuditEntryModel,
  type AuditQuery,
} from './audit-entry.dto.js';

const LINK = {
  description: 'Where the rest is, `rel="next"` (RFC 8288); absent once there is none.',
  example: '</gateway/profile/clinic/audit/export?cursor=WzQyXQ>; rel="next"',
};

/** Who has seen what, and who has changed it: the same for a Clinic and for what belongs to none. */
@ApiTags('Audit')
abstract class AuditController {
  constructor(private readonly reader: AuditReader) {}

  @Get()
  @Operation({
    summary: 'List the audit trail',
    description:
      'Every write, every read of client data and every denial, the newest first: of a Clinic its own, of an ' +
      'administrator what belongs to no Clinic. Reading it is a read, too.',
    success: { status: 200, description: 'One page.', schema: auditEntryPageSchema },
    errors: [400],
    clientData: true,
  })
  listAuditEntries(
    @Caller() caller: ClinicPrincipal | AdminPrincipal,
    @Query({ schema: auditQuery }) query: AuditQuery,
  ): Promise<Page<AuditEntryModel>> {
    return this.reader.list(caller, query);
  }

  @Get('export')
  @Header('content-type', `${NDJSON}; charset=utf-8`)
  @ApiProduces(NDJSON)
  @Operation({
    summary: 'Export the audit trail',
    description:
      `The same entries as lines of JSON, the oldest first, ${EXPORT_LINES.toLocaleString('en')} at most. For all of ` +
      'them, follow `Link`; give a `to` of the past, as entries of the last seconds may still be under way. An answer ' +
      'that breaks off without its last chunk is incomplete.',
    success: { status: 200, description: 'One entry a line.', schema: auditEntrySchema, headers: { Link: LINK } },
    errors: [400],
    clientData: true,
  })
  async exportAuditEntries(
    @Caller() caller: ClinicPrincipal | AdminPrincipal,
    @Query({ schema: auditExportQuery }) query: AuditExportQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const { lines, nextCursor } = await this.reader.export(caller, query);
    if (nextCursor !== null) reply.header('link', `<${buildNextUrl(request.url, nextCursor)}>; rel="next"`);
    return lines;
  }
}

/** The same filters, from where this answer ends. */
function buildNextUrl(url: string, cursor: string): string {
  const next = new URL(url, 'http://service');
  next.searchParams.set('cursor', cursor);
  return next.pathname + next.search;
}

@Controller('/gateway/profile/clinic/audit')
@Access('CLINIC')
export class ClinicAuditController extends AuditController {}

@Controller('/gateway/admin/audit')
@Access('ADMIN')
export class AdminAuditController extends AuditController {}
