// eslint-disable-next-line no-restricted-imports -- The job erases data of all Clinics.
import { EntityManager, LockMode } from '@mikro-orm/core';
// eslint-disable-next-line no-restricted-imports -- The job erases data of all Clinics.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import { sql } from 'kysely';
import { recordSystemChange } from '../../audit/index.js';
import { noticesAboutErasedClientSql } from '../../reminder/index.js';
import { runIndependentParts } from '../../scheduler/index.js';
import type { ErasureSubject, SubjectKind } from '../../shared/erasure/index.js';
import { FieldEncryption, forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Erasure, toDueFilter } from '../domain/erasure.entity.js';
import { ErasureSettings } from '../erasure-settings.js';
import { ErasureMetrics } from './erasure.metrics.js';
import { eraseNextRows } from './row-eraser.js';

/** The kinds of records in the names of audit entries. */
const RECORD_KINDS = { CLIENT: 'client', CARE_PROVIDER: 'care-provider', CLINIC: 'clinic' } as const;

/**
 * Carries out confirmed erasures, in transactions of limited size. Several instances may run at the same time. If a run
 * is interrupted, the next one continues the work. An erasure that fails does not prevent the others.
 */
@Injectable()
export class ErasureRun {
  private readonly logger = new Logger(ErasureRun.name);

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly metrics: ErasureMetrics,
    private readonly encryption: FieldEncryption,
    private readonly settings: ErasureSettings,
  ) {}

  /**
   * @param progress called after each transaction
   * @throws the first error, after all other erasures have been carried out
   */
  async eraseConfirmed(progress: () => void = () => undefined): Promise<void> {
    const erasures = (await this.findDue()).map((erasure) => ({
      name: `erasure ${erasure.id}`,
      run: () => this.erase(erasure, progress),
    }));
    await runIndependentParts(this.em, erasures, progress);
  }

  private async erase(erasure: Erasure, progress: () => void): Promise<void> {
    const canGetRows = erasure.canGetRows(this.clock.now());
    if (erasure.subjectKind === 'CLINIC') await this.destroyKeysOfPeople(erasure);
    for (let isLast = false; !isLast;) {
      progress();
      const batch = await this.eraseBatch(erasure.id);
      // The next run removes rows that other transactions are changing.
      if (batch.isEmpty && !batch.isLast) return;
      ({ isLast } = batch);
    }
    // A later run removes the rows that such requests create.
    if (!canGetRows) await this.finish(erasure);
  }

  private findDue(): Promise<Erasure[]> {
    const due = toDueFilter(this.clock.now());
    return this.inTransaction((em) => em.find(Erasure, due, { orderBy: { id: 'asc' } }));
  }

  /**
   * Removes the next rows. The audit entry names them by their IDs. That of the first batch also names the notices about
   * cancelled Sessions, and the Care Providers who get them.
   *
   * @returns whether nothing is left, and whether nothing was removed
   */
  private async eraseBatch(id: number): Promise<{ isLast: boolean; isEmpty: boolean }> {
    return this.inTransaction(async (em) => {
      const erasure = await this.lock(em, id);
      const now = this.clock.now();
      const subject = toSubject(erasure);
      const notices = erasure.hasErasedNothing ? await findNotices(em, subject) : [];
      const removed = await eraseNextRows(em, subject, now);
      erasure.addErased(removed.counts);
      const { clinicId } = subject;
      const records = [toRecordName(subject), `erasure/${id}`, ...notices, ...removed.records];
      // No rows are left if an earlier run was interrupted after it had removed the last ones.
      if (Object.keys(removed.counts).length > 0)
        await recordSystemChange(em, { clinicId, name: 'erasure', records }, now);
      return removed;
    });
  }

  /**
   * Destroys the subject's key once no row is left to remove, so that backups are unreadable as well. If this is
   * interrupted, the next run destroys the key again, which is harmless.
   */
  private async finish({ id, subjectKind, subjectId, erasedAt }: Erasure): Promise<void> {
    await this.encryption.keys?.destroy([{ kind: subjectKind, id: subjectId }]);
    const isFirst = await this.inTransaction(async (em) => {
      const locked = await this.lock(em, id);
      // Another instance has finished it meanwhile.
      if (locked.erasedAt !== null && erasedAt === null) return false;
      locked.finish(this.settings.backupLifetime, this.clock.now());
      return erasedAt === null;
    });
    if (!isFirst) return;
    this.metrics.countFinished(subjectKind);
    this.logger.log({ event: 'erasure.finished', erasure: id, subject: subjectKind }, 'an erasure is finished');
  }

  /**
   * Destroys the keys of a Clinic's people before their rows are deleted, because the keys are found by the IDs in
   * these rows.
   */
  private async destroyKeysOfPeople({ clinicId }: Erasure): Promise<void> {
    const { keys } = this.encryption;
    if (keys === undefined) return;
    const people = await this.inTransaction(async (em) => {
      const { rows } = await sql<{ kind: 'CLIENT' | 'CARE_PROVIDER'; id: string }>`
        select 'CLIENT' as kind, id from client where clinic_id = ${clinicId}
        union all select 'CARE_PROVIDER', id from care_provider where clinic_id = ${clinicId}`.execute(em.getKysely());
      return rows;
    });
    await keys.destroy(people.map((person) => ({ kind: person.kind, id: Number(person.id) })));
  }

  private lock(em: SqlEntityManager, id: number): Promise<Erasure> {
    return em.findOneOrFail(Erasure, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  private inTransaction<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T> {
    return forkForActor(this.em, { role: 'SYSTEM' }).transactional((em) => work(em as SqlEntityManager));
  }
}

/** The names of the notices about cancelled Sessions, and of their recipients. The Sessions must not be deleted yet. */
async function findNotices(em: SqlEntityManager, { clinicId, kind, id }: ErasureSubject): Promise<string[]> {
  if (kind !== 'CLIENT') return [];
  const { rows } = await noticesAboutErasedClientSql(clinicId, id).execute(em.getKysely());
  return [...new Set(rows.flatMap(({ names }) => names))];
}

function toSubject({ clinicId, subjectKind: kind, subjectId: id }: Erasure): ErasureSubject {
  return { clinicId, kind, id };
}

function toRecordName({ kind, id }: { kind: SubjectKind; id: number }): string {
  return `${RECORD_KINDS[kind]}/${id}`;
}
