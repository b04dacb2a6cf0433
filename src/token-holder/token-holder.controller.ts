import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClinicPrincipal } from '../shared/access/index.js';
import { Operation } from '../shared/http/index.js';
import { pageQuery, type Page, type PageQuery } from '../shared/validation/index.js';
import {
  revokeAnyTokenHolderSchema,
  revokedTokenHolderPageSchema,
  revokedTokenHolderSchema,
  revokeTokenHolderSchema,
  type RevokedTokenHolderModel,
  type RevokeTokenHolder,
} from './dto/revoked-token-holder.js';
import { TokenHolderService } from './token-holder.service.js';

const PAGE = { status: 200, description: 'One page, oldest first.', schema: revokedTokenHolderPageSchema } as const;
const REVOKED = {
  status: 201,
  description:
    'Tokens from before the instant are refused with 401: at once on this instance, within seconds on other instances. ' +
    'Later tokens are valid, so the identity provider must also stop issuing them. Cannot be undone.',
  schema: revokedTokenHolderSchema,
} as const;

const REVOKED_WITH_LINKS = {
  ...REVOKED,
  description: `${REVOKED.description} Without \`subject\`, calendar links of the person from before the instant end, too.`,
};

/** Lets administrators revoke all tokens of a subject or of any directory record. */
@ApiTags('Administration')
@Controller('/gateway/admin/revoked-token-holder')
@Access('ADMIN')
export class AdminTokenHolderController {
  constructor(private readonly service: TokenHolderService) {}

  @Post()
  @Operation({
    summary: 'Revoke all tokens of a subject or record',
    success: REVOKED,
    errors: [400, 409, 413, 415, 422],
  })
  revokeTokenHolder(
    @Body({ schema: revokeAnyTokenHolderSchema }) body: RevokeTokenHolder,
  ): Promise<RevokedTokenHolderModel> {
    return this.service.revokeAny(body);
  }

  @Get()
  @Operation({
    summary: 'List subjects and records with revoked tokens',
    description: 'Revocations by administrators whose tokens have not all expired yet.',
    success: PAGE,
    errors: [400],
  })
  listRevokedTokenHolders(@Query({ schema: pageQuery }) query: PageQuery): Promise<Page<RevokedTokenHolderModel>> {
    return this.service.listAny(query);
  }
}

/** Lets a Clinic revoke all tokens of its own accounts, Care Providers and Clients, with the calendar links of these. */
@ApiTags('Directory')
@Controller('/gateway/profile/clinic/revoked-token-holder')
@Access('CLINIC')
export class ClinicTokenHolderController {
  constructor(private readonly service: TokenHolderService) {}

  @Post()
  @Operation({
    summary: 'Revoke all tokens of one of your people',
    success: REVOKED_WITH_LINKS,
    errors: [400, 409, 413, 415, 422],
    clientData: true,
  })
  revokeTokenHolder(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: revokeTokenHolderSchema }) body: RevokeTokenHolder,
  ): Promise<RevokedTokenHolderModel> {
    return this.service.revokeOwn(caller, body);
  }

  @Get()
  @Operation({
    summary: 'List your people with revoked tokens',
    description: 'Revocations by the Clinic whose tokens have not all expired yet.',
    success: PAGE,
    errors: [400],
    clientData: true,
  })
  listRevokedTokenHolders(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: pageQuery }) query: PageQuery,
  ): Promise<Page<RevokedTokenHolderModel>> {
    return this.service.listOwn(caller, query);
  }
}
