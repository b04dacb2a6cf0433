import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { pageQuery, type Page, type PageQuery } from '../../shared/validation/index.js';
import {
  revokedTokenPageSchema,
  revokedTokenSchema,
  revokeTokenSchema,
  type RevokedTokenModel,
  type RevokeToken,
} from './revoked-token.dto.js';
import { RevokedTokenService } from './revoked-token.service.js';

/** Tokens that are lost, stolen, or of somebody who has left. */
@ApiTags('Administration')
@Controller('/gateway/admin/revoked-token')
@Access('ADMIN')
export class RevokedTokenController {
  constructor(private readonly service: RevokedTokenService) {}

  @Post()
  @Operation({
    summary: 'Revoke a token',
    description:
      'From now on it answers 401; on other instances of the service within seconds. It cannot be taken back. A token ' +
      'without the claim `jti` has no name by which it could be revoked.',
    success: { status: 201, description: 'The token does not hold any more.', schema: revokedTokenSchema },
    errors: [400, 409, 413, 415],
  })
  revokeToken(@Body({ schema: revokeTokenSchema }) body: RevokeToken): Promise<RevokedTokenModel> {
    return this.service.revoke(body);
  }

  @Get()
  @Operation({
    summary: 'List revoked tokens',
    description: 'Those whose time is not over, oldest first.',
    success: { status: 200, description: 'One page of revoked tokens.', schema: revokedTokenPageSchema },
    errors: [400],
  })
  listRevokedTokens(@Query({ schema: pageQuery }) query: PageQuery): Promise<Page<RevokedTokenModel>> {
    return this.service.list(query);
  }
}
