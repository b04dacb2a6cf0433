import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { RequestInterceptor } from './request.interceptor.js';

/** The way of a request through the service: one transaction. */
@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: RequestInterceptor }] })
export class RequestModule {}
