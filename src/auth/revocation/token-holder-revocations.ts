import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
// eslint-disable-next-line no-restricted-imports -- Expired rows of all Clinics are deleted.
import { EntityManager } from '@mikro-orm/core';
import { sql } from 'kysely';
// eslint-disable-next-line no-restricted-imports -- As above.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Scheduler } from '../../scheduler/index.js';
import { getRecordId, type Principal } from '../../shared/access/index.js';
import { Environment } from '../../shared/config/env.js';
import { afterCommit, forkForActor, formatInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import { getSystemTimeMs } from '../../shared/time/index.js';
import { findIssueTime } from '../token/issue-time.js';
import { MAX_CLOCK_SKEW_SECONDS } from '../token/token-claims.js';
import { createRefusalError } from '../token/token-refusal.js';
import { TokenHolderCutoffs } from './token-holder-cutoffs.js';
import { RevokedTokenHolder } from './revoked-token-holder.entity.js';
import type { RoleWithRecord, TokenHolder } from './token-holder.js';

const CLEAN_UP_JOB = 'revoked-token-holders-clean-up';
const EVERY_HOUR = '0 37 * * * *';
/** Maximum number of rows deleted in one transaction. */
const BATCH_SIZE = 1_000;

/** Revokes all tokens of a subject or directory record, within the caller's transaction. */
@Injectable()
export class TokenHolderRevocations implements OnApplicationBootstrap {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly cutoffs: TokenHolderCutoffs,
    private readonly environment: Environment,
    private readonly scheduler: Scheduler,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduler.register({
      name: CLEAN_UP_JOB,
      cron: EVERY_HOUR,
      run: async (progress) => {
        await this.deleteExpired(progress);
        await this.cutoffs.readAll();
      },
    });
  }

  /** The time of the machine clock, because the `iat` of tokens is also compared with that clock. */
  now(): Temporal.Instant {
    return Temporal.Instant.fromEpochMilliseconds(getSystemTimeMs());
  }

  /**
   * Refuses all tokens of the holder that were issued before an instant. This instance refuses them immediately, other
   * instances within `JWT_REVOCATION_INTERVAL`. If a holder is revoked several times, the latest instant applies.
   *
   * @param clinicId the Clinic that revokes the tokens; null for an administrator
   */
  async revoke(
    holder: TokenHolder,
    clinicId: number | null,
    issuedBefore: Temporal.Instant = this.now(),
  ): Promise<void> {
    const { subject, role, recordId } = holder;
    const [before, now, end] = [issuedBefore, this.now(), this.computeExpiry(issuedBefore)].map(formatInstant);
    await sql`
      insert into revoked_token_holder (clinic_id, subject, role, record_id, issued_before, revoked_at, expires_at)
      values (${clinicId}::bigint, ${subject}::text, ${role}::text, ${recordId}::bigint, ${before}::timestamptz,
        ${now}::timestamptz, ${end}::timestamptz)
      on conflict (clinic_id, subject, role, record_id) do update set
        issued_before = greatest(revoked_token_holder.issued_before, excluded.issued_before),
        expires_at = greatest(revoked_token_holder.expires_at, excluded.expires_at),
        revoked_at = excluded.revoked_at,
        changed_in = pg_current_xact_id()`.execute(this.em.getKysely());
    afterCommit(this.em, () => this.cutoffs.add(holder, issuedBefore));
  }

  /**
   * Checks again, within the caller's transaction, that the Clinic has not revoked the caller's token. An operation that
   * creates a longer-lived secret needs this, because this instance may not know a revocation by another one yet.
   *
   * @throws UnauthenticatedError if the token is revoked
   */
  async requireNotRevoked(caller: Principal, clinicId: number): Promise<void> {
    const { role, subject } = caller;
    const issuedAt = findIssueTime(caller);
    const revocations = await this.em.countUpTo(
      RevokedTokenHolder,
      {
        clinicId,
        ...(issuedAt !== undefined && { issuedBefore: { $gt: issuedAt } }),
        $and: [
          { $or: [{ subject: null }, { subject }] },
          { $or: [{ role: null }, { role: role as RoleWithRecord, recordId: getRecordId(caller) }] },
        ],
      },
      1,
    );
    if (revocations > 0) throw createRefusalError('REVOKED');
  }

  /** Returns the revocation of a holder that a Clinic or, if `clinicId` is null, an administrator has stored. */
  find(holder: TokenHolder, clinicId: number | null): Promise<RevokedTokenHolder> {
    return this.em.findOneOrFail(RevokedTokenHolder, { ...holder, clinicId });
  }

  /**
   * Deletes expired rows and returns the number of deleted rows.
   *
   * @param progress called after each transaction
   */
  async deleteExpired(progress: () => void = () => undefined): Promise<number> {
    for (let total = 0; ;) {
      const deleted = await this.deleteBatch();
      progress();
      total += deleted;
      if (deleted < BATCH_SIZE) return total;
    }
  }

  /**
   * Computes when the row can be deleted: after the maximum token lifetime and the maximum clock skew, all tokens issued
   * before the instant have expired.
   */
  private computeExpiry(issuedBefore: Temporal.Instant): Temporal.Instant {
    return issuedBefore.add(this.environment.token.maxLifetime).add({ seconds: MAX_CLOCK_SKEW_SECONDS });
  }

  private deleteBatch(): Promise<number> {
    return forkForActor(this.em as unknown as EntityManager, { role: 'MAINTENANCE' }).transactional(async (em) => {
      const { numAffectedRows } = await sql`
        delete from revoked_token_holder where id in (
          select id from revoked_token_holder where expires_at <= now() order by expires_at limit ${BATCH_SIZE}
        )`.execute((em as SqlEntityManager).getKysely());
      return Number(numAffectedRows);
    });
  }
}
