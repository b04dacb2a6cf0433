import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { IdempotencyKeyReusedError, RequestInFlightError } from '../shared/errors/index.js';
import { Clock } from '../shared/time/index.js';
import type { CapturedResponse } from './captured-response.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import type { IdempotentRequest } from './idempotent-request.js';

/** How long an answer is kept. */
const RETENTION = Temporal.Duration.from({ hours: 24 });
/** Sets these locks apart from others of the database. */
const LOCK_NAMESPACE = 5;

/**
 * Answers the same request of the same caller once. Answers are kept in the transaction of what they tell of, so either
 * both are there or neither; a request that fails has changed nothing, so its answer is not kept. Both steps run within
 * the transaction of the request, with the rights of the caller.
 */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes the key until the transaction ends, and returns what was answered before.
   *
   * @throws RequestInFlightError while another request has it, without waiting for that one
   * @throws IdempotencyKeyReusedError when it was of another request
   */
  async claim(request: IdempotentRequest): Promise<CapturedResponse | undefined> {
    // Two statements: the second sees what was committed until the lock was free.
    if (!(await this.tryLock(request.id))) throw new RequestInFlightError();
    const kept = await this.em.findOne(IdempotencyKey, { id: request.id, expiresAt: { $gt: this.clock.now() } });
    if (kept === null) return undefined;
    if (kept.fingerprint !== request.computeFingerprint()) throw new IdempotencyKeyReusedError();
    return request.decrypt(kept.answer);
  }

  /** Keeps the answer of whoever holds the key; in the place of one that has expired. */
  async store(request: IdempotentRequest, answer: CapturedResponse): Promise<void> {
    const kept = new IdempotencyKey({
      id: request.id,
      caller: request.caller,
      fingerprint: request.computeFingerprint(),
      answer: request.encrypt(answer),
      expiresAt: this.clock.now().add(RETENTION),
    });
    await this.em.upsert(kept);
  }

  private async tryLock(id: string): Promise<boolean> {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${id}, ${LOCK_NAMESPACE})) as mine`.execute(
      (this.em as SqlEntityManager).getKysely(),
    );
    return rows[0]!.mine;
  }
}
