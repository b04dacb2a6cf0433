import { EntityManager } from '@mikro-orm/core';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { AuditTrail } from '../audit/index.js';
import type { AuthenticatedRequest } from '../shared/access/index.js';
import { isSafeMethod, refuseUnknownQuery, setActor } from '../shared/http/index.js';
import { RequestTransaction, type Actor } from '../shared/persistence/index.js';
import { captureResponse, sendResponse, type CapturedResponse } from './captured-response.js';
import { IdempotencyService } from './idempotency.service.js';
import { IdempotentRequest } from './idempotent-request.js';

/** A request as it is run: by whom, what it does, and what is written down of it with its effect. */
type RequestExecution = {
  caller: { actor: Actor; isRead: boolean };
  handle: () => Promise<unknown>;
  record: (answer: unknown) => Promise<void>;
  reply: FastifyReply;
};

/** Ends a request that was answered before. */
class AlreadyAnswered extends Error {
  constructor(readonly response: CapturedResponse) {
    super();
  }
}

/**
 * Makes every request of a caller one transaction, in which the database knows the caller, and which has its entry of
 * the audit trail; with an `Idempotency-Key`, only once.
 */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  constructor(
    private readonly em: EntityManager,
    private readonly trail: AuditTrail,
    private readonly idempotency: IdempotencyService,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    refuseUnknownQuery(request);
    const actor = request.user ?? resolveLinkActor(request);
    // Open to everybody, and nothing is asked of the database.
    if (actor === undefined) return next.handle();
    const caller = { actor, isRead: isSafeMethod(request) };
    const handle = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    const record = (answer: unknown) => this.trail.record(context, answer);
    const idempotent = request.user && IdempotentRequest.from(request, request.user);
    if (idempotent === undefined)
      return defer(() => RequestTransaction.run(this.em, caller, handle, { beforeCommit: record }));
    const run = { caller, handle, record, reply: http.getResponse<FastifyReply>() };
    return defer(() => this.runIdempotent(run, idempotent));
  }

  /** The first answer and its replays are the same text, sent in the same way. */
  private async runIdempotent(run: RequestExecution, request: IdempotentRequest): Promise<string | undefined> {
    const { caller, handle, record, reply } = run;
    const before = reply.getHeaders();
    const answer = async () => {
      const value = await handle();
      return { value, sent: captureResponse(reply, before, value) };
    };
    const steps = {
      afterBegin: async () => {
        const kept = await this.idempotency.claim(request);
        if (kept !== undefined) throw new AlreadyAnswered(kept);
      },
      beforeCommit: async ({ value, sent }: { value: unknown; sent: CapturedResponse }) => {
        await record(value);
        await this.idempotency.store(request, sent);
      },
    };
    try {
      return sendResponse(reply, (await RequestTransaction.run(this.em, caller, answer, steps)).sent);
    } catch (error) {
      if (error instanceof AlreadyAnswered) return this.replay(run, error.response);
      throw error;
    }
  }

  /** What is shown again is in the audit trail again. */
  private async replay(
    { caller, record, reply }: RequestExecution,
    { status, headers, body }: CapturedResponse,
  ): Promise<string | undefined> {
    const text = sendResponse(reply, { status, headers: { ...headers, 'idempotent-replayed': 'true' }, body });
    await RequestTransaction.run(this.em, caller, () => this.em.transactional(async () => parseBody(body)), {
      beforeCommit: record,
    });
    return text;
  }
}

/** Who holds the secret link that is called, where it is one. */
function resolveLinkActor(request: FastifyRequest): Actor | undefined {
  const link = request.routeOptions.config.operation?.resolveLinkActor;
  if (link === undefined) return undefined;
  const actor = link(request.params as Record<string, string>);
  setActor(request, actor);
  return actor;
}

/** What a handler returned, from the text that was sent of it. */
function parseBody(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? 'null') as unknown;
  } catch {
    return body;
  }
}
