import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { IdempotencyCleaner } from './idempotency.cleaner.js';
import { IdempotencyService } from './idempotency.service.js';
import { RequestInterceptor } from './request.interceptor.js';

/** The way of a request through the service: one transaction, and with an `Idempotency-Key` once. */
@Module({
  providers: [{ provide: APP_INTERCEPTOR, useClass: RequestInterceptor }, IdempotencyService, IdempotencyCleaner],
})
export class RequestModule {}
