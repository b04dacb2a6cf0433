import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { recordOf } from '../shared/access/index.js';
import { actorOf, isReading, locationOf } from '../shared/http/index.js';
import { actingAs, formatInstant, SENT_WITH_NEXT, type Actor } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { MAX_RECORDS, recordsOf } from './records.js';

/** Nobody who is denied waits longer than this for its entry. */
const DENIAL_TIMEOUT_MS = 1_000;

/** 422 too: it answers a reference to what is not the caller's, as 404 answers a path to it. */
const DENIALS = new Set([401, 403, 404, 422]);

type Outcome = { outcome: string; records: readonly string[] };

/** Writes who did what: one entry for each write, each read of client data and each denial. */
@Injectable()
export class AuditTrail {
  private readonly logger = new Logger(AuditTrail.name);

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** Within the transaction of a request, once its answer is known: commits with what it has done, or not at all. */
  async record(context: ExecutionContext, answer: unknown): Promise<void> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { operation } = request.routeOptions.config;
    // A route that does not say what it shows is taken to show data of Clients.
    if (isReading(request) && operation !== undefined && !operation.clientData) return;
    const location = locationOf(context.switchToHttp().getResponse<FastifyReply>());
    const records = recordsOf({ ...exchangeOf(request), answer, location });
    await this.write(this.em, request, { outcome: 'OK', records });
  }

  /** Records every denial of the server before its answer leaves. */
  observe(fastify: FastifyInstance): void {
    fastify.addHook('onSend', async (request, { statusCode }) => {
      const { url } = request.routeOptions;
      // A path that no operation has is nobody's record.
      if (url === undefined || url.includes('*') || !DENIALS.has(statusCode)) return;
      await this.recordDenial(request, statusCode);
    });
  }

  /** In a transaction of its own, as that of the request is rolled back. The answer stands, whatever becomes of it. */
  private async recordDenial(request: FastifyRequest, status: number): Promise<void> {
    const records = recordsOf(exchangeOf(request));
    const written = actingAs(this.em, actorOf(request)).transactional((em) =>
      this.write(em, request, { outcome: String(status), records }),
    );
    try {
      const tooLate = wait(DENIAL_TIMEOUT_MS, undefined, { ref: false }).then(() => Promise.reject(new TooLateError()));
      await Promise.race([written, tooLate]);
    } catch (error) {
      const kind = error instanceof Error ? error.name : typeof error;
      this.logger.error({ requestId: request.id, status, error: kind }, 'a denial is not in the audit trail');
      written.catch(() => undefined);
    }
  }

  /** One statement with one text, sent with the COMMIT. The database adds the Clinic of the caller, and whose a secret link is. */
  private async write(em: EntityManager, request: FastifyRequest, { outcome, records }: Outcome): Promise<void> {
    const { role, id, subject } = columnsOf(actorOf(request));
    const access = isReading(request) ? 'READ' : 'WRITE';
    await sql`${sql.raw(SENT_WITH_NEXT)}
      insert into audit_entry (at, actor_role, actor_id, actor_subject, access, operation, records, record_count,
        request_id, address, outcome)
      values (${formatInstant(this.clock.now())}, ${role}, ${id}, ${subject}, ${access}, ${operationOf(request)},
        ${records.slice(0, MAX_RECORDS)}::text[] || link_records(), ${records.length},
        ${request.id}, ${request.ip}, ${outcome})`.execute((em as SqlEntityManager).getKysely());
  }
}

class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

function exchangeOf({ routeOptions, params, body }: FastifyRequest) {
  return { route: routeOptions.url ?? '', params: params as Record<string, string>, body };
}

/** As the OpenAPI document writes it: `GET /gateway/profile/clinic/session/{id}`. */
function operationOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${(routeOptions.url ?? '').replaceAll(/:(\w+)/g, '{$1}')}`;
}

function columnsOf(actor: Actor): { role: string; id: number | null; subject: string | null } {
  if (!('subject' in actor)) return { role: actor.role, id: null, subject: null };
  // What PostgreSQL cannot store of a subject says no less without it.
  const subject = actor.subject.toWellFormed().replaceAll('\0', '\uFFFD');
  return { role: actor.role, id: recordOf(actor), subject };
}
