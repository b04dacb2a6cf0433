import { EntityManager } from '@mikro-orm/core';
import { Injectable, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findOpenAccessIdOfCaller, PUBLIC } from '../../shared/access/index.js';
import { findResponseError, ApplicationError } from '../../shared/errors/index.js';
import { getActor, isReadOnly, getRecordLocation } from '../../shared/http/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import { AuditRecordKinds, listChangedRecords } from '../../shared/audit-records/index.js';
import { Clock } from '../../shared/time/index.js';
import { pickDeclaredFields } from '../../shared/validation/index.js';
import { writeAuditEntry, type NewAuditEntry } from './audit-entry.writer.js';
import { DeniedRequestRecorder } from './denied-request.recorder.js';
import { findRecordNames, type RequestWithRecords } from './request-records.js';

/** The statuses of denied requests. 422 is the response if the body refers to a record of another Clinic. */
const DENIED_STATUSES = new Set([401, 403, 404, 422]);

/** Writes an entry for each write, each read of client data and each denied request. */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly em: EntityManager,
    private readonly deniedRequests: DeniedRequestRecorder,
    private readonly clock: Clock,
    private readonly recordKinds: AuditRecordKinds,
  ) {}

  /** Whether a successful request has an entry: it writes, or it returns client data. */
  isRecorded(request: FastifyRequest): boolean {
    const { operation } = request.routeOptions.config;
    // A Clinic can see what an administrator reads. A route without metadata is assumed to return client data.
    return (
      findOpenAccessIdOfCaller(getActor(request)) !== undefined ||
      !isReadOnly(request) ||
      operation === undefined ||
      operation.clientData
    );
  }

  /**
   * Writes the entry for a successful request in the request's transaction, so that both are committed or rolled back
   * together. A read that returns no client data has no entry.
   *
   * @returns the names of the records in the entry
   */
  async record(context: ExecutionContext, answer: unknown): Promise<readonly string[]> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!this.isRecorded(request)) return [];
    const location = getRecordLocation(context.switchToHttp().getResponse<FastifyReply>());
    const found = { ...toAuditedRequest(request), answer, location, changed: listChangedRecords() };
    const records = findRecordNames(this.recordKinds, found);
    const [entry, at] = [toEntry(request, 'OK', records), formatInstant(this.clock.now())];
    await writeAuditEntry(this.em, entry, at);
    const clinicId = request.routeOptions.config.operation?.clinicOf?.(answer as never);
    if (clinicId !== undefined) await writeAuditEntry(this.em, { ...entry, clinicId }, at);
    return records;
  }

  /**
   * Adds hooks that record denied requests and errors with client data before the response is sent. Prevents the
   * service from starting if a route has records that the audit trail cannot name.
   */
  registerHooks(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, config }) => {
      if (config?.access !== undefined && config.access !== PUBLIC) this.recordKinds.requireDeclared(url);
    });
    fastify.addHook('onSend', async (request, reply, payload) => {
      const { url } = request.routeOptions;
      // Requests to unknown paths are not recorded.
      if (url === undefined || url.includes('*')) return payload;
      const error = findResponseError(request);
      const outcome = String(reply.statusCode);
      if (error instanceof ApplicationError && error.clientData !== undefined) {
        const records = findRecordNames(this.recordKinds, { ...toAuditedRequest(request), answer: error.clientData });
        return this.deniedRequests.recordErrorWithClientData(toEntry(request, outcome, records), reply, payload);
      }
      if (DENIED_STATUSES.has(reply.statusCode)) {
        await this.deniedRequests.record(
          toEntry(request, outcome, findRecordNames(this.recordKinds, toAuditedRequest(request))),
          request,
        );
      }
      return payload;
    });
  }
}

/** Leaves out fields of the body that the operation ignores, because a caller could name any record in them. */
function toAuditedRequest({ routeOptions, params, body }: FastifyRequest): RequestWithRecords {
  return {
    route: routeOptions.url ?? '',
    params: params as Record<string, string>,
    body: pickDeclaredFields(routeOptions.config.operation?.bodySchema, body),
  };
}

function toEntry(request: FastifyRequest, outcome: string, records: readonly string[]): NewAuditEntry {
  const actor = getActor(request);
  const accessId = findOpenAccessIdOfCaller(actor);
  return {
    actor,
    access: isReadOnly(request) ? 'READ' : 'WRITE',
    operation: toOperationName(request),
    records: accessId === undefined ? records : [`administrator-access/${accessId}`, ...records],
    requestId: request.id,
    address: request.ip,
    outcome,
    count: 1,
  };
}

/** Returns the method and path as in the OpenAPI document, for example `GET /gateway/profile/clinic/session/{id}`. */
function toOperationName({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${(routeOptions.url ?? '').replaceAll(/:(\w+)/g, '{$1}')}`;
}
