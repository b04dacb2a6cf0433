import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { Tracing } from '../../shared/tracing/index.js';

/**
 * Records a span for each operation, within the transaction of its request. The span has the name of the controller's
 * method.
 */
export class OperationSpansInterceptor implements NestInterceptor {
  constructor(private readonly tracing: Tracing) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    // Health probes have no span, and unsampled requests need no span for their operation.
    if (this.tracing.traceparent === undefined) return next.handle();
    const name = context.getHandler().name;
    return from(this.tracing.run({ name }, () => lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}
