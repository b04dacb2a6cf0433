import { EntityManager } from '@mikro-orm/core';
import { Injectable, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PUBLIC } from '../../shared/access/index.js';
import { findResponseError, ApplicationError } from '../../shared/errors/index.js';
import { getActor, isReadOnly, getRecordLocation } from '../../shared/http/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import { AuditRecordKinds } from '../../shared/audit-records/index.js';
import { Clock } from '../../shared/time/index.js';
import { writeAuditRow, type AuditRow } from './audit-entry.writer.js';
import { DenialRecorder } from './denied-request.recorder.js';
import { findRecords, type AuditedRequest } from './request-records.js';

/** 422 too: it answers a reference to what is not the caller's, as 404 answers a path to it. */
const DENIALS = new Set([401, 403, 404, 422]);

/** Writes who did what: one entry for each write, each read of client data and each denial. */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly em: EntityManager,
    private readonly denials: DenialRecorder,
    private readonly clock: Clock,
    private readonly kinds: AuditRecordKinds,
  ) {}

  /** Within the transaction of a request, once its answer is known: commits with what it has done, or not at all. */
  async record(context: ExecutionContext, answer: unknown): Promise<void> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { operation } = request.routeOptions.config;
    // A route that does not say what it shows is taken to show data of Clients.
    if (isReadOnly(request) && operation !== undefined && !operation.clientData) return;
    const location = getRecordLocation(context.switchToHttp().getResponse<FastifyReply>());
    const records = findRecords(this.kinds, { ...requestOf(request), answer, location });
    await writeAuditRow(this.em, rowOf(request, 'OK', records), formatInstant(this.clock.now()));
  }

  /** Records every denial of the server, and every error that shows data of Clients, before its answer leaves. */
  observe(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, config }) => {
      if (config?.access !== undefined && config.access !== PUBLIC) this.kinds.requireDeclared(url);
    });
    fastify.addHook('onSend', async (request, reply, payload) => {
      const { url } = request.routeOptions;
      // A path that no operation has is nobody's record.
      if (url === undefined || url.includes('*')) return payload;
      const error = findResponseError(request);
      const outcome = String(reply.statusCode);
      if (error instanceof ApplicationError && error.clientData !== undefined) {
        const records = findRecords(this.kinds, { ...requestOf(request), answer: error.clientData });
        return this.denials.recordDisclosure(rowOf(request, outcome, records), reply, payload);
      }
      if (DENIALS.has(reply.statusCode)) {
        await this.denials.record(rowOf(request, outcome, findRecords(this.kinds, requestOf(request))), request);
      }
      return payload;
    });
    // After the last answer, and before the database is closed.
    fastify.addHook('onClose', () => this.denials.writeRepeated('all'));
  }
}

function requestOf({ routeOptions, params, body }: FastifyRequest): AuditedRequest {
  return { route: routeOptions.url ?? '', params: params as Record<string, string>, body };
}

function rowOf(request: FastifyRequest, outcome: string, records: readonly string[]): AuditRow {
  return {
    actor: getActor(request),
    access: isReadOnly(request) ? 'READ' : 'WRITE',
    operation: operationOf(request),
    records,
    requestId: request.id,
    address: request.ip,
    outcome,
    count: 1,
  };
}

/** As the OpenAPI document writes it: `GET /gateway/profile/clinic/session/{id}`. */
function operationOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${(routeOptions.url ?? '').replaceAll(/:(\w+)/g, '{$1}')}`;
}
