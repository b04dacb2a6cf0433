import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { recordOf, type AuthenticatedRequest, type Principal } from '../shared/access/index.js';
import { RateLimiter } from './rate-limiter.js';

/** Limits each caller, wherever they call from. Runs after the guard that finds out who calls. */
@Injectable()
export class CallerLimitGuard implements CanActivate {
  constructor(private readonly limiter: RateLimiter) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { user } = http.getRequest<AuthenticatedRequest>();
    if (user !== undefined) this.limiter.take('caller', keyOf(user), http.getResponse<FastifyReply>());
    return true;
  }
}

/** The record that the token speaks for, and its subject: a program and a person of one Clinic are two callers. */
function keyOf(caller: Principal): string {
  return `${caller.role} ${recordOf(caller) ?? ''} ${caller.subject}`;
}
