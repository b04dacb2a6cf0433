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

/** Operations to revoke tokens that are lost, stolen or no longer needed. */
@ApiTags('Administration')
@Controller('/gateway/admin/revoked-token')
@Access('ADMIN')
export class RevokedTokenController {
  constructor(private readonly service: RevokedTokenService) {}

  @Post()
  @Operation({
    summary: 'Revoke a token',
    description:
      'Requests with it are refused with 401: at once on this instance, within seconds on other instances. Cannot be ' +
      'undone. A token without the claim `jti` cannot be revoked.',
    success: { status: 201, description: 'The token is revoked.', schema: revokedTokenSchema },
    errors: [400, 409, 413, 415],
  })
  revokeToken(@Body({ schema: revokeTokenSchema }) body: RevokeToken): Promise<RevokedTokenModel> {
    return this.service.revoke(body);
  }

  @Get()
  @Operation({
    summary: 'List revoked tokens',
    description: 'Revoked tokens that have not expired yet, oldest first.',
    success: { status: 200, description: 'One page of revoked tokens.', schema: revokedTokenPageSchema },
    errors: [400],
  })
  listRevokedTokens(@Query({ schema: pageQuery }) query: PageQuery): Promise<Page<RevokedTokenModel>> {
    return this.service.list(query);
  }
}
