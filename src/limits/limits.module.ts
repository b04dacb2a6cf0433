import { Module } from '@nestjs/common';
import { SchedulerModule } from '../scheduler/index.js';
import { RateLimiter } from './rate-limiter.js';
import { SharedRateLimitCounts } from './shared-rate-limit-counts.js';
import { RateLimitCount } from './rate-limit-count.entity.js';

/** Rate limits for each caller and each network address. */
@Module({
  imports: [SchedulerModule],
  providers: [RateLimiter, SharedRateLimitCounts],
  exports: [RateLimiter],
})
export class LimitsModule {
  static readonly entities = [RateLimitCount] as const;
}
