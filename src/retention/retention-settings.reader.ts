import { Injectable } from '@nestjs/common';
import { AuditRetention } from '../audit/index.js';
import { Environment, readVariables } from '../shared/config/env.js';
import type { TenantEntityManager } from '../shared/persistence/index.js';
import { Clock, isTimeZone } from '../shared/time/index.js';
import type { ChosenRetentionPeriods, RetentionPolicy } from './domain/retention-policy.js';
import { findRetentionLimit, RETENTION_KINDS, type RetentionKind } from './domain/retention-period.js';
import { RetentionSetting } from './domain/retention-setting.entity.js';
import { retentionVariables } from './retention-environment.js';

/** For each kind of data, the instant before which it is removed; undefined if it is kept without a limit. */
export type RetentionLimits = Record<RetentionKind, Temporal.Instant | undefined>;

export const NO_LIMITS: RetentionLimits = {
  sessions: undefined,
  homework: undefined,
  reminders: undefined,
  audit: undefined,
};

/**
 * Reads the retention settings of Clinics, and computes the instants before which data is removed. Requires a
 * transaction.
 */
@Injectable()
export class RetentionSettingsReader {
  readonly policy: RetentionPolicy;
  /** When the job runs, as a cron expression that begins with seconds. */
  readonly cron: string;

  constructor(
    environment: Environment,
    private readonly clock: Clock,
    private readonly auditRetention: AuditRetention,
  ) {
    ({ policy: this.policy, cron: this.cron } = readVariables(retentionVariables, environment.rawVariables));
  }

  get today(): Temporal.PlainDate {
    return this.clock.now().toZonedDateTimeISO('UTC').toPlainDate();
  }

  /** Returns the newest version of a Clinic's settings, or null if the Clinic has chosen nothing. */
  findNewest(em: Pick<TenantEntityManager, 'findOne'>, clinicId: number): Promise<RetentionSetting | null> {
    return em.findOne(RetentionSetting, { clinicId }, { orderBy: { version: 'desc' } });
  }

  /** @param timeZone of the Clinic. If only newer time zone data have it, nothing is removed. */
  computeLimits(chosen: ChosenRetentionPeriods, timeZone: string): RetentionLimits {
    if (!isTimeZone(timeZone)) return NO_LIMITS;
    const periods = this.policy.resolve(chosen, this.today);
    const limits = RETENTION_KINDS.map((kind) => [kind, findRetentionLimit(periods[kind], timeZone, this.clock.now())]);
    return Object.fromEntries(limits) as RetentionLimits;
  }

  /** Returns the instant before which audit entries are removed. It is the start of a month. */
  findAuditLimit({ audit }: RetentionLimits): Temporal.Instant | undefined {
    return audit && this.auditRetention.findFirstKeptMonth(audit);
  }
}
