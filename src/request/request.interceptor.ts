import { EntityManager } from '@mikro-orm/core';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { AuditTrail } from '../audit/index.js';
import type { AuthenticatedRequest } from '../shared/access/index.js';
import { HANDLED, setActor, type Handled } from '../shared/http/index.js';
import { RequestTransaction, type Actor } from '../shared/persistence/index.js';

/** Makes every request of a caller one transaction, in which the database knows the caller. */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  constructor(
    private readonly em: EntityManager,
    private readonly reflector: Reflector,
    private readonly trail: AuditTrail,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { user, method } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const actor = user ?? this.linkOf(context);
    // Open to everybody, and nothing is asked of the database.
    if (actor === undefined) return next.handle();
    const caller = { actor, isRead: method === 'GET' };
    const steps = { beforeCommit: (answer: unknown) => this.trail.record(context, answer) };
    return defer(() =>
      RequestTransaction.run(this.em, caller, () => lastValueFrom(next.handle(), { defaultValue: undefined }), steps),
    );
  }

  /** Who holds the secret link that is called, where it is one. */
  private linkOf(context: ExecutionContext): Actor | undefined {
    const handled = this.reflector.get<Handled | undefined>(HANDLED, context.getHandler());
    if (handled?.link === undefined) return undefined;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const actor = handled.link(request.params as Record<string, string>);
    setActor(request, actor);
    return actor;
  }
}
