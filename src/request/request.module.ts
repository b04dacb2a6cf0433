import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditModule } from '../audit/index.js';
import { LimitsModule } from '../limits/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import { provideMetricsQuery } from '../shared/metrics/index.js';
import { IdempotencyCleaner } from './idempotency.cleaner.js';
import { idempotencyMetricsQuery } from './idempotency-metrics.js';
import { IdempotencyService } from './idempotency.service.js';
import { ReplicaMonitor } from './replica.monitor.js';
import { ReplicaReads } from './replica-reads.js';
import { RequestInterceptor } from './request.interceptor.js';
import { IdempotencyKey } from './idempotency-key.entity.js';

/** Runs each request in one transaction with its audit entry, and only once for each `Idempotency-Key`. */
@Module({
  imports: [AuditModule, LimitsModule, SchedulerModule],
  providers: [
    { provide: APP_INTERCEPTOR, useClass: RequestInterceptor },
    IdempotencyService,
    IdempotencyCleaner,
    ReplicaReads,
    ReplicaMonitor,
    provideMetricsQuery(idempotencyMetricsQuery),
  ],
})
export class RequestModule {
  static readonly entities = [IdempotencyKey] as const;
}
