import { EntityManager } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as wait } from 'node:timers/promises';
import { getClientAddress } from '../../limits/index.js';
import { findResponseError, createProblem, UnknownSecretLinkError } from '../../shared/errors/index.js';
import { forkForActor, formatInstant, type Actor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { writeAuditEntry, type NewAuditEntry } from './audit-entry.writer.js';
import { RepeatedRequests } from './repeated-requests.js';

/** Nobody who is denied waits longer than this for its entry. */
const WRITE_TIMEOUT_MS = 1_000;

/** Writes entries of answers whose transaction was rolled back, in transactions of their own. */
@Injectable()
export class DeniedRequestRecorder {
  private readonly logger = new Logger(DeniedRequestRecorder.name);
  private readonly repeated = new RepeatedRequests();

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** The answer stands, whatever becomes of it. What repeats a denial without a token is counted, and written later. */
  async record(row: NewAuditEntry, request: FastifyRequest): Promise<void> {
    const source = findSource(row.actor, request);
    if (source !== undefined) {
      const key = `${source} ${row.operation} ${row.access} ${row.outcome}`;
      if (this.repeated.count(key, { ...row, records: [] }, this.clock.now().epochMilliseconds)) return;
    }
    const written = this.write([row]);
    try {
      const tooLate = wait(WRITE_TIMEOUT_MS, undefined, { ref: false }).then(() =>
        Promise.reject(new WriteTimeoutError()),
      );
      await Promise.race([written, tooLate]);
    } catch (error) {
      const { requestId, outcome } = row;
      this.logger.error(
        { requestId, status: Number(outcome), error: toErrorName(error) },
        'a denial is not in the audit trail',
      );
      written.catch(() => undefined);
    }
  }

  /**
   * Records an error that shows data of Clients. As of any other answer that does, it is not shown where its entry
   * cannot be written.
   *
   * @returns the body to be sent
   */
  async recordErrorWithClientData(row: NewAuditEntry, reply: FastifyReply, payload: unknown): Promise<unknown> {
    try {
      await this.write([row]);
      return payload;
    } catch (error) {
      this.logger.error(
        { requestId: row.requestId, error: toErrorName(error) },
        'an answer could not be recorded and is not shown',
      );
      void reply.status(503).header('retry-after', '5');
      const detail = 'The service cannot answer right now. Try again.';
      return JSON.stringify(createProblem({ status: 503, detail, requestId: row.requestId }));
    }
  }

  /** Writes what was counted: of windows that have ended, or all of it before the service stops. */
  async writeRepeated(which: 'due' | 'all' = 'due'): Promise<void> {
    const now = this.clock.now().epochMilliseconds;
    const rows = which === 'due' ? this.repeated.takeElapsed(now) : this.repeated.takeAll(now);
    // Those of nobody in particular go into one transaction, a link has one of its own.
    const groups = Map.groupBy(rows, ({ actor }) => (actor.role === 'NOBODY' ? 'nobody' : actor));
    for (const group of groups.values()) {
      try {
        await this.write(group);
      } catch (error) {
        this.repeated.restore(group, now);
        const denials = group.reduce((sum, { count }) => sum + count, 0);
        this.logger.error({ denials, error: toErrorName(error) }, 'repeated denials are not in the audit trail yet');
      }
    }
  }

  /** Entries of one actor. */
  private async write(rows: readonly NewAuditEntry[]): Promise<void> {
    const at = formatInstant(this.clock.now());
    await forkForActor(this.em, rows[0]!.actor).transactional(async (em) => {
      for (const row of rows) await writeAuditEntry(em, row, at);
    });
  }
}

class WriteTimeoutError extends Error {
  override readonly name = 'TooLateError';
}

/** Whom repeated denials are counted of: an address, or a link that was known once. Undefined for a caller with a token. */
function findSource(actor: Actor, request: FastifyRequest): string | undefined {
  if (actor.role === 'NOBODY' || findResponseError(request) instanceof UnknownSecretLinkError)
    return getClientAddress(request);
  if (actor.role === 'CALENDAR_LINK') return actor.secretHash;
  return actor.role === 'OPT_OUT_LINK' ? actor.optOutToken : undefined;
}

function toErrorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
