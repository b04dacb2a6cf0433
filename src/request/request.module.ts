import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditModule } from '../audit/index.js';
import { RequestInterceptor } from './request.interceptor.js';

/** The way of a request through the service: one transaction, with its entry of the audit trail. */
@Module({ imports: [AuditModule], providers: [{ provide: APP_INTERCEPTOR, useClass: RequestInterceptor }] })
export class RequestModule {}
