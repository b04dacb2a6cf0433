import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { SchedulerModule } from '../scheduler/index.js';
import { CallerLimitGuard } from './caller-limit.guard.js';
import { RateLimiter } from './rate-limiter.js';
import { SharedCounts } from './shared-counts.js';

/** How many requests a minute callers and addresses may make. Imported after the module that authenticates. */
@Module({
  imports: [SchedulerModule],
  providers: [RateLimiter, SharedCounts, { provide: APP_GUARD, useClass: CallerLimitGuard }],
  exports: [RateLimiter],
})
export class LimitsModule {}
