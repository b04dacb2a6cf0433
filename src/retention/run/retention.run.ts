// eslint-disable-next-line no-restricted-imports -- The job removes data of all Clinics.
import { EntityManager } from '@mikro-orm/core';
// eslint-disable-next-line no-restricted-imports -- The job removes data of all Clinics.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import { sql } from 'kysely';
import { AuditRetention, CHAIN_WITHOUT_CLINIC, recordSystemChange } from '../../audit/index.js';
import { runIndependentParts } from '../../scheduler/index.js';
import { SESSION_DATA_KINDS, SessionRetention, type SessionDataKind } from '../../session/index.js';
import { acquireExclusiveClinicLockSql, forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { RETENTION_KINDS, type RetentionKind } from '../domain/retention-period.js';
import { NO_LIMITS, RetentionSettingsReader, type RetentionLimits } from '../retention-settings.reader.js';
import { RetentionMetrics } from './retention.metrics.js';

type ClinicRow = { id: number; limits: RetentionLimits };
/** How many records of each kind a run has removed, and how many partitions of the audit trail it has dropped. */
type RemovedRecordCounts = Record<RetentionKind, number> & { partitions: number };

/**
 * Removes expired data in short transactions, one Clinic after another. Several instances may run at the same time;
 * each row is removed by only one of them. If a run is interrupted, the next one continues the work. A Clinic whose data
 * cannot be removed does not prevent the removal of other data.
 */
@Injectable()
export class RetentionRun {
  private readonly logger = new Logger(RetentionRun.name);

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly settings: RetentionSettingsReader,
    private readonly sessions: SessionRetention,
    private readonly audit: AuditRetention,
    private readonly metrics: RetentionMetrics,
  ) {}

  /**
   * @param progress called after each transaction
   * @throws the first error, after all other data has been removed
   */
  async removeExpired(progress: () => void = () => undefined): Promise<RemovedRecordCounts> {
    const removed: RemovedRecordCounts = { sessions: 0, homework: 0, reminders: 0, audit: 0, partitions: 0 };
    const sessionData = (await this.inTransaction((em) => this.findClinics(em))).map((clinic) => ({
      name: `retention of Clinic ${clinic.id}`,
      run: () => this.removeAllSessionData(clinic, removed, progress),
    }));
    const audit = { name: 'retention of the audit trail', run: () => this.retireAudit(removed, progress) };
    try {
      await runIndependentParts(this.em, [...sessionData, audit], progress);
    } finally {
      for (const kind of RETENTION_KINDS) this.metrics.countRemoved(kind, removed[kind]);
      this.metrics.countPartitions(removed.partitions);
      this.logger.log(removed, 'removed data whose retention has ended');
    }
    return removed;
  }

  /** Finds Clinics with their limits: all of them, or one. */
  private async findClinics(em: SqlEntityManager, clinicId?: number): Promise<ClinicRow[]> {
    type Row = { id: string; time_zone: string; version: number | null; is_moving: boolean };
    const { rows } = await sql<Row>`
      select clinic.id::text, time_zone, (
        select max(version) from retention_setting where clinic_id = clinic.id) as version,
        exists (select from clinic_move where clinic_id = clinic.id) as is_moving
      from clinic ${clinicId === undefined ? sql`` : sql`where clinic.id = ${clinicId}`} order by clinic.id`.execute(
      em.getKysely(),
    );
    const clinics: ClinicRow[] = [];
    for (const { id, time_zone: timeZone, version, is_moving: isMoving } of rows) {
      const setting = version === null ? null : await this.settings.findNewest(em, Number(id));
      // The settings of a Clinic that is being moved are hidden from jobs.
      const limits = isMoving ? NO_LIMITS : this.settings.computeLimits(setting?.chosen ?? {}, timeZone);
      clinics.push({ id: Number(id), limits });
    }
    return clinics;
  }

  private async findLimits(em: SqlEntityManager, clinicId: number): Promise<RetentionLimits> {
    const [clinic] = await this.findClinics(em, clinicId);
    return clinic?.limits ?? NO_LIMITS;
  }

  private async removeAllSessionData(
    clinic: ClinicRow,
    removed: RemovedRecordCounts,
    progress: () => void,
  ): Promise<void> {
    // Sessions come first, because their homework and reminders are removed together with them.
    for (const kind of SESSION_DATA_KINDS) await this.removeSessionData(clinic, kind, removed, progress);
  }

  private async removeSessionData(
    { id: clinicId, limits }: ClinicRow,
    kind: SessionDataKind,
    removed: RemovedRecordCounts,
    progress: () => void,
  ): Promise<void> {
    if (limits[kind] === undefined) return;
    for (let isLast = false; !isLast;) {
      const batch = await this.removeBatch(kind, clinicId);
      if (batch === undefined) return;
      for (const part of SESSION_DATA_KINDS) removed[part] += batch.rows[part];
      ({ isLast } = batch);
      progress();
    }
  }

  /**
   * Removes one batch of records, and writes an audit entry that names them. Reads the limit again, because the Clinic may
   * have changed it since the run began. Returns undefined if nothing is to be removed any more.
   */
  private removeBatch(kind: SessionDataKind, clinicId: number) {
    return this.inTransaction(async (em) => {
      await acquireExclusiveClinicLockSql('retention', clinicId).execute(em.getKysely());
      const before = (await this.findLimits(em, clinicId))[kind];
      if (before === undefined) return undefined;
      const now = this.clock.now();
      const batch = await this.sessions.removeBatch(em, kind, { clinicId, before }, now);
      const { records } = batch;
      if (records.length > 0) await recordSystemChange(em, { clinicId, name: `retention ${kind}`, records }, now);
      return batch;
    });
  }

  private async retireAudit(removed: RemovedRecordCounts, progress: () => void) {
    // The operator's default retention applies to entries without a Clinic.
    const withoutClinic = this.settings.computeLimits({}, 'UTC').audit;
    const limits = {
      findAll: async () => {
        const clinics = await this.inTransaction((em) => this.findClinics(em));
        const ofClinics = clinics.map(({ id, limits: { audit } }) => [id, audit] as const);
        return new Map([...ofClinics, [CHAIN_WITHOUT_CLINIC, withoutClinic]]);
      },
      find: async (chain: number) =>
        chain === CHAIN_WITHOUT_CLINIC
          ? withoutClinic
          : (await this.inTransaction((em) => this.findLimits(em, chain))).audit,
    };
    const retired = { partitions: 0, entries: 0 };
    try {
      await this.audit.retire(limits, progress, retired);
    } finally {
      removed.audit += retired.entries;
      removed.partitions += retired.partitions;
    }
  }

  private inTransaction<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T> {
    return forkForActor(this.em, { role: 'SYSTEM' }).transactional((em) => work(em as SqlEntityManager));
  }
}
