import { EntityManager } from '@mikro-orm/core';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../shared/access/index.js';
import { RequestTransaction } from '../shared/persistence/index.js';

/** Makes every request of a caller one transaction, in which the database knows the caller. */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  constructor(private readonly em: EntityManager) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { user, method } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    // Open to everybody: what such a route asks of the database, its service asks as somebody in particular.
    if (user === undefined) return next.handle();
    const caller = { actor: user, isRead: method === 'GET' };
    return defer(() =>
      RequestTransaction.run(this.em, caller, () => lastValueFrom(next.handle(), { defaultValue: undefined })),
    );
  }
}
