import { EntityManager } from '@mikro-orm/core';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { AuditTrail } from '../audit/index.js';
import { CallerConcurrency } from '../limits/index.js';
import type { AuthenticatedRequest } from '../shared/access/index.js';
import {
  isSafeMethod,
  readPreferences,
  refuseUnknownInput,
  setActor,
  addPreferenceApplied,
} from '../shared/http/index.js';
import { RequestTransaction, type Actor } from '../shared/persistence/index.js';
import { captureResponse, setStatusAndHeaders, type CapturedResponse } from './captured-response.js';
import { IdempotencyService } from './idempotency.service.js';
import { IdempotentRequest } from './idempotent-request.js';
import { ReplicaReads } from './replica-reads.js';
import { setVaryByPreference, applyReturnPreference } from './preferred-response.js';

/** A request that is being executed. */
type RequestExecution = {
  request: AuthenticatedRequest;
  caller: { actor: Actor; isRead: boolean };
  handle: () => Promise<unknown>;
  /** Sets the response headers for the handler's result, and returns the response body. */
  respond: (result: unknown) => unknown;
  /** Writes the audit entry for the handler's result, and returns the records that it names. */
  record: (result: unknown) => Promise<readonly string[]>;
  reply: FastifyReply;
};

/** Thrown to roll back the transaction of a request whose stored response can be sent again. */
class AlreadyAnswered extends Error {
  constructor(readonly response: CapturedResponse) {
    super();
  }
}

/**
 * Runs every request from a caller in one transaction, with the caller's database rights and an audit entry. A request
 * with an `Idempotency-Key` is executed only once.
 */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  constructor(
    private readonly em: EntityManager,
    private readonly trail: AuditTrail,
    private readonly idempotency: IdempotencyService,
    private readonly replica: ReplicaReads,
    private readonly concurrency: CallerConcurrency,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const reply = http.getResponse<FastifyReply>();
    const preferences = readPreferences(request);
    if (preferences.handling === 'strict') addPreferenceApplied(reply, 'handling', 'strict');
    setVaryByPreference(request, reply);
    refuseUnknownInput(request, preferences);
    const actor = request.user ?? resolveLinkActor(request);
    // A public route without a secret link does not use the database.
    if (actor === undefined) return next.handle();
    const caller = { actor, isRead: isSafeMethod(request) };
    const handle = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    // The audit entry names all records in the result, even if the response contains fewer.
    const respond = (result: unknown) => applyReturnPreference(request, reply, result);
    const record = (result: unknown) => this.trail.record(context, result);
    const idempotent = request.user && IdempotentRequest.from(request, request.user);
    const run = { request, caller, handle, respond, record, reply };
    return defer(async () => {
      const execute = () => (idempotent === undefined ? this.runOnce(run) : this.runIdempotent(run, idempotent));
      const isImport = request.routeOptions.config.readsNdjson === true;
      const body = await (isImport ? this.concurrency.runImport(actor, execute) : this.concurrency.run(actor, execute));
      if (this.replica.returnsPosition(request)) await this.replica.setConsistencyToken(request, reply);
      return body;
    });
  }

  private async runOnce({ request, caller, handle, respond, record }: RequestExecution): Promise<unknown> {
    const position = this.replica.findRequiredPosition(request);
    const read = position && (await this.replica.tryRead(request, { actor: caller.actor, position }, handle));
    if (read === undefined)
      return respond(await RequestTransaction.run(this.em, caller, handle, { beforeCommit: record }));
    if (this.trail.isRecorded(request)) await this.recordOnly(caller, read.value, record);
    return respond(read.value);
  }

  /** Writes only the audit entry of a request, in a transaction on the primary. */
  private async recordOnly(
    caller: RequestExecution['caller'],
    value: unknown,
    beforeCommit: RequestExecution['record'],
  ): Promise<void> {
    await RequestTransaction.run(this.em, caller, () => this.em.transactional(async () => value), { beforeCommit });
  }

  /** Executes the request, or sends the stored response from an earlier execution. */
  private async runIdempotent(run: RequestExecution, request: IdempotentRequest): Promise<string | undefined> {
    const { caller, handle, respond, record, reply } = run;
    const headersBefore = reply.getHeaders();
    const execute = async () => {
      const value = await handle();
      return { value, response: captureResponse(reply, headersBefore, respond(value)) };
    };
    const steps = {
      afterBegin: async () => {
        const stored = await this.idempotency.claim(request);
        if (stored !== undefined) throw new AlreadyAnswered(stored);
      },
      beforeCommit: async ({ value, response }: { value: unknown; response: CapturedResponse }) => {
        await this.idempotency.store(request, response, await record(value));
      },
    };
    try {
      const { response } = await RequestTransaction.run(this.em, caller, execute, steps);
      setStatusAndHeaders(reply, response);
      return response.body;
    } catch (error) {
      if (error instanceof AlreadyAnswered) return this.replay(run, error.response);
      throw error;
    }
  }

  /** Sends a stored response and writes an audit entry, because the response discloses the same data again. */
  private async replay(
    { caller, record, reply }: RequestExecution,
    { status, headers, body }: CapturedResponse,
  ): Promise<string | undefined> {
    setStatusAndHeaders(reply, { status, headers });
    await this.recordOnly(caller, parseBody(body), record);
    // Set last, because a replay whose entry cannot be written is answered with an error.
    reply.header('idempotent-replayed', 'true');
    return body;
  }
}

/** Returns the actor for a request to a secret link, or undefined for other routes. */
function resolveLinkActor(request: FastifyRequest): Actor | undefined {
  const link = request.routeOptions.config.operation?.resolveLinkActor;
  if (link === undefined) return undefined;
  const actor = link(request.params as Record<string, string>);
  setActor(request, actor);
  return actor;
}

/** Parses the stored response body. It stands in for the handler's return value, which is not stored. */
function parseBody(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? 'null') as unknown;
  } catch {
    return body;
  }
}
