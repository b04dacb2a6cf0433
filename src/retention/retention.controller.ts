import { Body, Controller, Get, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, Caller, type ClinicPrincipal } from '../shared/access/index.js';
import {
  ApiIfMatch,
  ETAG_RESPONSE_HEADER,
  Operation,
  OptionalIfMatchVersion,
  withEtagHeader,
} from '../shared/http/index.js';
import {
  putRetentionSchema,
  retentionQuery,
  retentionSchema,
  type PutRetention,
  type RetentionModel,
  type RetentionQuery,
} from './dto/retention-model.js';
import { RetentionService } from './retention.service.js';

const RETENTION = {
  status: 200,
  description: 'What applies, and what the next run removes.',
  schema: retentionSchema,
  headers: ETAG_RESPONSE_HEADER,
} as const;

@ApiTags('Retention')
@Controller('/gateway/profile/clinic/retention')
@Access('CLINIC')
export class RetentionController {
  constructor(private readonly service: RetentionService) {}

  @Get()
  @Operation({
    summary: 'Read how long data is kept, and what is removed next',
    success: RETENTION,
    clientData: true,
  })
  async getRetention(
    @Caller() caller: ClinicPrincipal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RetentionModel> {
    const retention = await this.service.get(caller);
    return withEtagHeader(reply, retention.version, retention);
  }

  @Put()
  @ApiIfMatch({ isRequired: false })
  @Operation({
    summary: 'Choose how long data is kept',
    description:
      'Replaces the whole choice. A job removes each night what is older. A dry run counts what the next run removes.',
    success: RETENTION,
    clientData: true,
    dryRun: true,
    errors: [409, 412, 413, 415],
    versionOf: (retention) => (retention as RetentionModel).version,
  })
  putRetention(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: putRetentionSchema }) body: PutRetention,
    @Query({ schema: retentionQuery }) query: RetentionQuery,
    @OptionalIfMatchVersion() seenVersion: number | undefined,
  ): Promise<RetentionModel> {
    return this.service.put(caller, body, query, seenVersion);
  }
}
