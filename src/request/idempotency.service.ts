import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { IdempotencyKeyReusedError, RequestInFlightError } from './idempotency-errors.js';
import { Clock } from '../shared/time/index.js';
import type { CapturedResponse } from './captured-response.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import type { IdempotentRequest } from './idempotent-request.js';

/** How long a response is stored. */
const RETENTION = Temporal.Duration.from({ hours: 24 });
/** Namespace for the advisory locks on idempotency keys. */
const LOCK_NAMESPACE = 5;

/**
 * Stores the response for an `Idempotency-Key` in the transaction of the request, so that the changes and the response
 * are committed together. A failed request changes nothing, and its response is not stored.
 */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks the key until the transaction ends, and returns the stored response if there is one.
   *
   * @throws RequestInFlightError immediately if another request has locked the key
   * @throws IdempotencyKeyReusedError if the key was used for a different request
   */
  async claim(request: IdempotentRequest): Promise<CapturedResponse | undefined> {
    // The lock and the lookup are separate statements, so that the lookup sees the previous lock holder's response.
    if (!(await this.tryLock(request.id))) throw new RequestInFlightError();
    const stored = await this.em.findOne(IdempotencyKey, { id: request.id, expiresAt: { $gt: this.clock.now() } });
    if (stored === null) return undefined;
    if (stored.fingerprint !== request.computeFingerprint()) throw new IdempotencyKeyReusedError();
    return request.decrypt(stored.answer);
  }

  /**
   * Stores the response for a locked key. Replaces an expired response.
   *
   * @param records the names of the records in the audit entry of the request
   */
  async store(request: IdempotentRequest, response: CapturedResponse, records: readonly string[]): Promise<void> {
    const stored = new IdempotencyKey({
      id: request.id,
      caller: request.caller,
      fingerprint: request.computeFingerprint(),
      answer: request.encrypt(response),
      records,
      expiresAt: this.clock.now().add(RETENTION),
    });
    await this.em.upsert(stored);
  }

  private async tryLock(id: string): Promise<boolean> {
    const { rows } = await sql<{ is_locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${id}, ${LOCK_NAMESPACE})) as is_locked`.execute(
      (this.em as SqlEntityManager).getKysely(),
    );
    return rows[0]!.is_locked;
  }
}
