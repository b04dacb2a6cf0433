import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { SchedulerModule } from '../scheduler/index.js';
import { AccessGuard } from './access.guard.js';
import { DenyList } from './deny-list.js';
import { RevokedTokenController } from './revoked-token.controller.js';
import { RevokedTokenService } from './revoked-token.service.js';
import { TokenVerifier } from './token-verifier.js';

/** Token → Principal, and the guard that denies by default. */
@Module({
  imports: [SchedulerModule],
  controllers: [RevokedTokenController],
  providers: [DenyList, RevokedTokenService, TokenVerifier, { provide: APP_GUARD, useClass: AccessGuard }],
})
export class AuthModule {}
