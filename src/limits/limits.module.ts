import { Module } from '@nestjs/common';
import { SchedulerModule } from '../scheduler/index.js';
import { CallerConcurrency } from './caller-concurrency.js';
import { RateLimiter } from './rate-limiter.js';
import { SharedRateLimitCounts } from './shared-rate-limit-counts.js';
import { RateLimitCount } from './rate-limit-count.entity.js';

/** Rate limits for each caller and each network address, and limits of the requests at the same time. */
@Module({
  imports: [SchedulerModule],
  providers: [CallerConcurrency, RateLimiter, SharedRateLimitCounts],
  exports: [CallerConcurrency, RateLimiter],
})
export class LimitsModule {
  static readonly entities = [RateLimitCount] as const;
}
