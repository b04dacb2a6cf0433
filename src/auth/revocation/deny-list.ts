import { EntityManager } from '@mikro-orm/core';
import { Injectable, ServiceUnavailableException, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../../scheduler/index.js';
import { Environment } from '../../shared/config/env.js';
import { Clock } from '../../shared/time/index.js';
import { RevokedToken } from './revoked-token.entity.js';

/** So many readings of the table may fail in a row. */
const MAX_FAILED_READS = 10;
const READ_JOB = 'revoked-tokens-read';
const CLEAN_UP_JOB = 'revoked-tokens-clean-up';
const EVERY_HOUR = '0 17 * * * *';

/**
 * The ids of revoked tokens, in memory: a look-up costs no statement. Read again every `JWT_REVOCATION_INTERVAL`, so
 * that what another instance revoked is known here by then; what this one revoked is known at once.
 */
@Injectable()
export class DenyList implements OnApplicationBootstrap {
  private readonly readIntervalMs: number;
  private revoked: ReadonlySet<string> = new Set();
  private readonly added = new Set<string>();
  private currentRead: Promise<void> | undefined;
  private lastReadAt = Number.NEGATIVE_INFINITY;

  constructor(
    environment: Environment,
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
  ) {
    this.readIntervalMs = environment.token.revocationInterval.total('milliseconds');
  }

  /** A service that does not know what was revoked does not start. */
  async onApplicationBootstrap(): Promise<void> {
    await this.read();
    this.scheduler.register({
      name: READ_JOB,
      every: this.readIntervalMs,
      run: () => this.read(),
      runsWithUnreliableClock: true,
    });
    this.scheduler.register({ name: CLEAN_UP_JOB, cron: EVERY_HOUR, run: () => this.deleteExpired() });
  }

  /** @throws ServiceUnavailableException when the table could not be read for too long: better nobody than anybody */
  has(jti: string): boolean {
    if (performance.now() - this.lastReadAt > this.readIntervalMs * (1 + MAX_FAILED_READS))
      throw new ServiceUnavailableException();
    return this.revoked.has(jti) || this.added.has(jti);
  }

  /** How old the list is: what was revoked on another instance since then is not known here. */
  get ageSeconds(): number {
    return (performance.now() - this.lastReadAt) / 1000;
  }

  /** Denies a token on this instance from now on. */
  add(jti: string): void {
    this.added.add(jti);
  }

  /** Reads the table again, once at a time. */
  read(): Promise<void> {
    return (this.currentRead ??= this.readAll().finally(() => (this.currentRead = undefined)));
  }

  /** Forgets tokens that do not hold any more anyway. Returns how many. */
  deleteExpired(): Promise<number> {
    return this.em.fork().nativeDelete(RevokedToken, { expiresAt: { $lt: this.clock.now() } });
  }

  private async readAll(): Promise<void> {
    const startedAt = performance.now();
    // What was added a moment ago may not be in what is read: its request may not have committed yet.
    const stored = [...this.added];
    const rows = await this.em.fork().find(RevokedToken, {}, { fields: ['jti'] });
    this.revoked = new Set(rows.map(({ jti }) => jti));
    for (const jti of stored) if (this.revoked.has(jti)) this.added.delete(jti);
    this.lastReadAt = startedAt;
  }
}
