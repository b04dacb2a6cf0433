import { Controller, Get, Header, Query, Req, Res } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { Access, Caller, type AdminPrincipal, type ClinicPrincipal } from '../../shared/access/index.js';
import { NDJSON_MEDIA_TYPE, Operation } from '../../shared/http/index.js';
import type { Page } from '../../shared/validation/index.js';
import { AuditReader } from './audit.reader.js';
import {
  auditExportQuery,
  auditEntryPageSchema,
  auditQuery,
  auditEntrySchema,
  MAX_EXPORT_LINES,
  type AuditExportQuery,
  type AuditEntryModel,
  type AuditQuery,
} from './audit-entry.dto.js';

const LINK = {
  description: 'URL of the next part, `rel="next"` (RFC 8288); absent at the end.',
  example: '</gateway/profile/clinic/audit/export?cursor=WzQyXQ>; rel="next"',
};

/** Audit trail operations for a Clinic and for an administrator. */
@ApiTags('Audit')
abstract class AuditController {
  constructor(private readonly reader: AuditReader) {}

  @Get()
  @Operation({
    summary: 'List the audit trail',
    success: {
      status: 200,
      description:
        'One page of writes, reads of client data and denied requests, newest first: those of the Clinic, or for an ' +
        'administrator those without a Clinic. Reading the audit trail adds an entry.',
      schema: auditEntryPageSchema,
    },
    mayBeStale: true,
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
  @Header('content-type', `${NDJSON_MEDIA_TYPE}; charset=utf-8`)
  @ApiProduces(NDJSON_MEDIA_TYPE)
  @Operation({
    summary: 'Export the audit trail',
    success: {
      status: 200,
      description:
        `One entry per line, oldest first, at most ${MAX_EXPORT_LINES.toLocaleString('en')}. \`Link\` names the next part. Set ` +
        '`to` to a time in the past: entries of the last seconds may not be committed yet. Without its last chunk, the ' +
        'response is incomplete.',
      schema: auditEntrySchema,
      headers: { Link: LINK },
    },
    mayBeStale: true,
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

/** Builds the URL of the next part with the same filters. */
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
