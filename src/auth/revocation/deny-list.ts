// eslint-disable-next-line no-restricted-imports -- Revoked tokens belong to no Clinic.
import { EntityManager } from '@mikro-orm/core';
import { Injectable, ServiceUnavailableException, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../../scheduler/index.js';
import { Environment } from '../../shared/config/env.js';
import { forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { MAX_CLOCK_SKEW_SECONDS } from '../token/token-claims.js';
import { TokenHolderCutoffs } from './token-holder-cutoffs.js';
import { RevokedToken } from './revoked-token.entity.js';
import { RevokedTokenIds } from './revoked-token-ids.js';

/** Consecutive reads of the table that may fail before the list is considered unknown. */
const MAX_FAILED_READS = 10;
const READ_JOB = 'revoked-tokens-read';
const CLEAN_UP_JOB = 'revoked-tokens-clean-up';
const EVERY_HOUR = '0 17 * * * *';

/** The properties of a verified token by which its revocation is looked up. */
export type RevocableToken = {
  jti: string | undefined;
  /** The claim `iat` in milliseconds since 1970. */
  issuedAt: number | undefined;
  /** The keys of all holders whose revocation applies to this token. See `toHolderKeys`. */
  holderKeys: readonly string[];
};

/**
 * Keeps the IDs of revoked tokens in memory, so checking a token needs no database query. The tables of revoked tokens
 * and of revoked holders are read every `JWT_REVOCATION_INTERVAL` to pick up revocations by other instances;
 * revocations by this instance apply immediately.
 */
@Injectable()
export class DenyList implements OnApplicationBootstrap {
  private readonly readIntervalMs: number;
  private readonly revoked: RevokedTokenIds;
  private currentRead: Promise<void> | undefined;
  private lastReadAt = Number.NEGATIVE_INFINITY;

  constructor(
    environment: Environment,
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
    private readonly cutoffs: TokenHolderCutoffs,
  ) {
    this.revoked = new RevokedTokenIds(em);
    this.readIntervalMs = environment.token.revocationInterval.total('milliseconds');
  }

  /** The service does not start if the table cannot be read. */
  async onApplicationBootstrap(): Promise<void> {
    await this.reload();
    this.scheduler.register({
      name: READ_JOB,
      every: this.readIntervalMs,
      run: () => this.reload(),
      runsWithUnreliableClock: true,
    });
    this.scheduler.register({
      name: CLEAN_UP_JOB,
      cron: EVERY_HOUR,
      run: async () => {
        await this.deleteExpired();
        await this.revoked.readAll();
      },
    });
  }

  /**
   * Returns whether a token has been revoked, by its ID or with all tokens of its holder.
   *
   * @throws ServiceUnavailableException if the last successful read of the table was too long ago, because a revoked
   * token must not be accepted
   */
  isRevoked({ jti, issuedAt, holderKeys }: RevocableToken): boolean {
    if (performance.now() - this.lastReadAt > this.readIntervalMs * (1 + MAX_FAILED_READS))
      throw new ServiceUnavailableException();
    if (jti !== undefined && this.revoked.has(jti)) return true;
    return this.cutoffs.isRevoked(holderKeys, issuedAt);
  }

  /** Time since the last successful read of the table. Later revocations by other instances are not yet known. */
  get ageSeconds(): number {
    return (performance.now() - this.lastReadAt) / 1000;
  }

  /** Number of entries in memory. */
  get size(): { tokens: number; holders: number } {
    return { tokens: this.revoked.size, holders: this.cutoffs.size };
  }

  /** Revokes a token on this instance. */
  add(jti: string): void {
    this.revoked.add(jti);
  }

  /** Reads the changes of the tables. Concurrent calls share one read. */
  reload(): Promise<void> {
    return (this.currentRead ??= this.readChanges().finally(() => (this.currentRead = undefined)));
  }

  /**
   * Deletes the rows of expired tokens and returns the number of deleted rows. The expiry of a token is compared with the
   * machine clock, which may be behind the clock of the service.
   */
  deleteExpired(): Promise<number> {
    const expired = { expiresAt: { $lt: this.clock.now().subtract({ seconds: MAX_CLOCK_SKEW_SECONDS }) } };
    return forkForActor(this.em, { role: 'MAINTENANCE' }).transactional((em) => em.nativeDelete(RevokedToken, expired));
  }

  private async readChanges(): Promise<void> {
    const startedAt = performance.now();
    await this.revoked.readChanges();
    await this.cutoffs.readChanges();
    this.lastReadAt = startedAt;
  }
}
