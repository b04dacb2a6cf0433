import { EntityManager } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as wait } from 'node:timers/promises';
import { getClientAddress } from '../../limits/index.js';
import {
  findResponseError,
  createProblem,
  getErrorClassName,
  UnknownSecretLinkError,
} from '../../shared/errors/index.js';
import { forkForActor, formatInstant, type Actor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { writeAuditEntry, type NewAuditEntry } from './audit-entry.writer.js';
import { RepeatedRequestCounter } from './repeated-request-counter.js';

/** Maximum time for which writing the entry may delay the response. */
const WRITE_TIMEOUT_MS = 1_000;

/** Writes entries for requests whose transaction was rolled back, each in a new transaction. */
@Injectable()
export class DeniedRequestRecorder {
  private readonly logger = new Logger(DeniedRequestRecorder.name);
  private readonly repeated = new RepeatedRequestCounter();

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Records a denied request. A failed write does not change the response. Repeated requests without a token are
   * counted and recorded later.
   */
  async record(row: NewAuditEntry, request: FastifyRequest): Promise<void> {
    const source = findSource(row.actor, request);
    if (source !== undefined) {
      const key = `${source} ${row.operation} ${row.access} ${row.outcome}`;
      if (this.repeated.count(key, { ...row, records: [] }, this.clock.now().epochMilliseconds)) return;
    }
    const written = this.write([row]);
    try {
      const timeout = wait(WRITE_TIMEOUT_MS, undefined, { ref: false }).then(() =>
        Promise.reject(new WriteTimeoutError()),
      );
      await Promise.race([written, timeout]);
    } catch (error) {
      const { requestId, outcome } = row;
      this.logger.error(
        { requestId, status: Number(outcome), error: getErrorClassName(error) },
        'the audit entry of a denied request could not be written',
      );
      written.catch(() => undefined);
    }
  }

  /**
   * Records an error response with client data. If the entry cannot be written, the response becomes a 503 without
   * client data.
   *
   * @returns the body to send
   */
  async recordErrorWithClientData(row: NewAuditEntry, reply: FastifyReply, payload: unknown): Promise<unknown> {
    try {
      await this.write([row]);
      return payload;
    } catch (error) {
      this.logger.error(
        { requestId: row.requestId, error: getErrorClassName(error) },
        'an error response with client data is replaced by 503, because its audit entry could not be written',
      );
      void reply.status(503).header('retry-after', '5');
      const detail = 'The service cannot answer right now. Try again.';
      return JSON.stringify(createProblem({ status: 503, detail, requestId: row.requestId }));
    }
  }

  /** Writes entries for the counts of completed windows, or for all counts before the service stops. */
  async writeRepeated(windows: 'completed' | 'all' = 'completed'): Promise<void> {
    const now = this.clock.now().epochMilliseconds;
    const counted = windows === 'completed' ? this.repeated.takeCompletedCounts(now) : this.repeated.takeAllCounts(now);
    // The actor determines the database rights, so the entries of each secret link need a transaction of their own.
    const groups = Map.groupBy(counted, ({ entry: { actor } }) => (actor.role === 'NOBODY' ? 'NOBODY' : actor));
    for (const group of groups.values()) {
      try {
        await this.write(group.map(({ entry }) => entry));
      } catch (error) {
        this.repeated.restoreCounts(group, now);
        const count = group.reduce((sum, { entry }) => sum + entry.count, 0);
        this.logger.error(
          { denials: count, error: getErrorClassName(error) },
          'audit entries of repeated denied requests could not be written yet',
        );
      }
    }
  }

  /** Writes the entries of one actor in a single transaction. */
  private async write(rows: readonly NewAuditEntry[]): Promise<void> {
    const at = formatInstant(this.clock.now());
    await forkForActor(this.em, rows[0]!.actor).transactional(async (em) => {
      for (const row of rows) await writeAuditEntry(em, row, at);
    });
  }
}

class WriteTimeoutError extends Error {
  override readonly name = 'WriteTimeoutError';
}

/**
 * Returns the key for counting repeated requests: a client address or a secret link. Returns undefined for a caller
 * with a token.
 */
function findSource(actor: Actor, request: FastifyRequest): string | undefined {
  if (actor.role === 'NOBODY' || findResponseError(request) instanceof UnknownSecretLinkError)
    return getClientAddress(request);
  return 'secretHash' in actor ? actor.secretHash : undefined;
}
