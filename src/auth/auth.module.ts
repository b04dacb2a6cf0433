import { Module, type OnModuleInit } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule, HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { SchedulerModule } from '../scheduler/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { AccessGuard } from './access/access.guard.js';
import { AdministratorAccess } from './administrator-access/administrator-access.entity.js';
import { OpenAccessResolver } from './administrator-access/open-access-resolver.js';
import { AuthMetrics } from './auth.metrics.js';
import { DenyList } from './revocation/deny-list.js';
import { TokenHolderCutoffs } from './revocation/token-holder-cutoffs.js';
import { TokenHolderRevocations } from './revocation/token-holder-revocations.js';
import { RevokedTokenHolder } from './revocation/revoked-token-holder.entity.js';
import { JwtStrategy } from './jwt/jwt.strategy.js';
import { RefusedTokenLog } from './access/refused-token-log.js';
import { RevokedTokenController } from './revocation/revoked-token.controller.js';
import { RevokedTokenService } from './revocation/revoked-token.service.js';
import { RouteAccessRegistry } from './access/route-access-registry.js';
import { TokenVerifier } from './jwt/token-verifier.js';
import { RevokedToken } from './revocation/revoked-token.entity.js';

/** Verifies tokens, guards all routes, and revokes tokens. */
@Module({
  imports: [DiscoveryModule, SchedulerModule],
  controllers: [RevokedTokenController],
  providers: [
    DenyList,
    OpenAccessResolver,
    TokenHolderCutoffs,
    TokenHolderRevocations,
    AuthMetrics,
    RefusedTokenLog,
    JwtStrategy,
    RevokedTokenService,
    TokenVerifier,
    AccessGuard,
    RouteAccessRegistry,
    provideAuditRecordKinds({ 'revoked-token': { isNamed: false } }),
    { provide: APP_GUARD, useExisting: AccessGuard },
  ],
  exports: [RevokedTokenService, TokenHolderRevocations],
})
export class AuthModule implements OnModuleInit {
  static readonly entities = [RevokedToken, RevokedTokenHolder, AdministratorAccess] as const;

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly tokens: TokenVerifier,
  ) {}

  /** Stores this application's token checks on its server, where the passport strategy reads them. */
  onModuleInit(): void {
    this.host.httpAdapter.getInstance().decorate('tokenChecks', this.tokens);
  }
}
