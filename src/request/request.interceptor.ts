import { EntityManager } from '@mikro-orm/core';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../shared/access/index.js';
import { RequestTransaction, type Actor } from '../shared/persistence/index.js';
import { answerOf, sendAnswer, type Answer } from './answer.js';
import { IdempotencyService } from './idempotency.service.js';
import { IdempotentRequest } from './idempotent-request.js';

type Caller = { actor: Actor; isRead: boolean };
type Handle = () => Promise<unknown>;

/** Ends a request that was answered before. */
class AnsweredBefore extends Error {
  constructor(readonly answer: Answer) {
    super();
  }
}

/** Makes every request of a caller one transaction, in which the database knows the caller; with a key, only once. */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  constructor(
    private readonly em: EntityManager,
    private readonly idempotency: IdempotencyService,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    // Open to everybody: what such a route asks of the database, its service asks as somebody in particular.
    if (request.user === undefined) return next.handle();
    const caller = { actor: request.user, isRead: request.method === 'GET' };
    const handle = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    const idempotent = IdempotentRequest.of(request, request.user);
    if (idempotent === undefined) return defer(() => RequestTransaction.run(this.em, caller, handle));
    return defer(() => this.runOnce(caller, idempotent, http.getResponse<FastifyReply>(), handle));
  }

  /** The first answer and its replays are the same text, sent in the same way. */
  private async runOnce(caller: Caller, request: IdempotentRequest, reply: FastifyReply, handle: Handle) {
    const before = reply.getHeaders();
    const answer = async () => answerOf(reply, before, await handle());
    const steps = {
      afterBegin: async () => {
        const kept = await this.idempotency.claim(request);
        if (kept !== undefined) throw new AnsweredBefore(kept);
      },
      beforeCommit: (given: Answer) => this.idempotency.keep(request, given),
    };
    return sendAnswer(reply, await RequestTransaction.run(this.em, caller, answer, steps).catch(replayed));
  }
}

function replayed(error: unknown): Answer {
  if (!(error instanceof AnsweredBefore)) throw error;
  return { ...error.answer, headers: { ...error.answer.headers, 'idempotent-replayed': 'true' } };
}
