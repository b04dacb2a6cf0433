import { applyDecorators, Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { Access, Caller, type ClientPrincipal, type ClinicPrincipal } from '../shared/access/index.js';
import { addVary, chooseMediaType, NDJSON_MEDIA_TYPE, Operation } from '../shared/http/index.js';
import { idParam } from '../shared/validation/index.js';
import { ClientExportService } from './client-export.service.js';
import { clientExportSchema } from './dto/client-export.js';
import { createExportHeaders, EXPORT_MEDIA_TYPES, type ExportMediaType } from './format/formats.js';

function ExportOperation(summary: string, errors: readonly (400 | 404)[]) {
  const otherMedia = { [NDJSON_MEDIA_TYPE]: 'object', 'text/html': 'string' } as const;
  return applyDecorators(
    Operation({
      ...{ summary, errors, clientData: true },
      success: {
        status: 200,
        description: "By `Accept`: one document, lines of `{section, item}`, or a page in the Client's language.",
        schema: clientExportSchema,
        otherMedia,
      },
    }),
  );
}

/** Lets a Clinic export the data about one of its Clients. */
@ApiTags('Directory')
@Controller('/gateway/profile/clinic/client')
@Access('CLINIC')
export class ClinicClientExportController {
  constructor(private readonly service: ClientExportService) {}

  @Get(':id/export')
  @ExportOperation('Export a Client', [400, 404])
  async exportClient(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    return respond(request, reply, (type) => this.service.exportForClinic(caller, id, type));
  }
}

/** Lets a Client export their data. */
@ApiTags('Directory')
@Controller('/gateway/profile/client/export')
@Access('CLIENT')
export class ClientExportController {
  constructor(private readonly service: ClientExportService) {}

  @Get()
  @ExportOperation('Export my data', [])
  async exportClient(
    @Caller() caller: ClientPrincipal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    return respond(request, reply, (type) => this.service.exportForClient(caller, type));
  }
}

/**
 * Opens the export, then sets the headers. If opening fails, the error response must not have the headers of an export.
 */
async function respond(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  open: (type: ExportMediaType) => Promise<Readable>,
): Promise<Readable> {
  const type = chooseMediaType(headers.accept, EXPORT_MEDIA_TYPES);
  addVary(reply, 'accept');
  const stream = await open(type);
  reply.headers(createExportHeaders(type));
  return stream;
}
