// eslint-disable-next-line no-restricted-imports -- The job erases data of all Clinics.
import { EntityManager, LockMode } from '@mikro-orm/core';
// eslint-disable-next-line no-restricted-imports -- The job erases data of all Clinics.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import { recordSystemChange } from '../../audit/index.js';
import type { ErasureSubject, SubjectKind } from '../../shared/erasure/index.js';
import { forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Erasure } from '../domain/erasure.entity.js';
import { ErasureMetrics } from './erasure.metrics.js';
import { eraseRows } from './row-eraser.js';

/** The kinds of records in the names of audit entries. */
const RECORD_KINDS = { CLIENT: 'client', CARE_PROVIDER: 'care-provider', CLINIC: 'clinic' } as const;

/**
 * Carries out confirmed erasures, in transactions that are bounded. Several instances may run at the same time. A run
 * that is interrupted continues with the next one.
 */
@Injectable()
export class ErasureRun {
  private readonly logger = new Logger(ErasureRun.name);

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly metrics: ErasureMetrics,
  ) {}

  /** @param progress called after each transaction */
  async eraseConfirmed(progress: () => void = () => undefined): Promise<void> {
    for (const id of await this.findUnfinished()) {
      while (!(await this.eraseBatch(id))) progress();
      await this.finish(id);
      progress();
    }
  }

  private async findUnfinished(): Promise<number[]> {
    const unfinished = { confirmedAt: { $ne: null }, erasedAt: null };
    const erasures = await this.inTransaction((em) => em.find(Erasure, unfinished, { orderBy: { id: 'asc' } }));
    return erasures.map(({ id }) => id);
  }

  /** Removes the next rows. The audit entry names them by their IDs. @returns whether nothing is left */
  private async eraseBatch(id: number): Promise<boolean> {
    const { isLast } = await this.inTransaction(async (em) => {
      const erasure = await this.lock(em, id);
      const now = this.clock.now();
      const subject = toSubject(erasure);
      const removed = await eraseRows(em, subject, now);
      erasure.addErased(removed.counts);
      const { clinicId } = subject;
      const records = [toRecordName(subject), `erasure/${id}`, ...removed.records];
      // The run before may have been interrupted after its last rows.
      if (Object.keys(removed.counts).length > 0)
        await recordSystemChange(em, { clinicId, name: 'erasure', records }, now);
      return removed;
    });
    return isLast;
  }

  /** The key goes last, once no row is left to remove. To destroy it again is harmless, if this is interrupted. */
  private async finish(id: number): Promise<void> {
    const erasure = await this.inTransaction((em) => em.findOneOrFail(Erasure, { id }));
    await this.destroyDataKey(toSubject(erasure));
    const isFirst = await this.inTransaction(async (em) => {
      const locked = await this.lock(em, id);
      if (locked.erasedAt !== null) return false;
      locked.finish(this.clock.now());
      return true;
    });
    if (!isFirst) return;
    this.metrics.countFinished(erasure.subjectKind);
    this.logger.log({ event: 'erasure.finished', erasure: id, subject: erasure.subjectKind }, 'an erasure is finished');
  }

  /**
   * Destroys the key with which the fields of the subject are encrypted. Fields are not encrypted yet, so there is no
   * key: backups from before an erasure hold the data until they expire.
   */
  private async destroyDataKey(_subject: ErasureSubject): Promise<void> {
    // Encryption of fields adds its key store here.
  }

  private lock(em: SqlEntityManager, id: number): Promise<Erasure> {
    return em.findOneOrFail(Erasure, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  private inTransaction<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T> {
    return forkForActor(this.em, { role: 'SYSTEM' }).transactional((em) => work(em as SqlEntityManager));
  }
}

function toSubject({ clinicId, subjectKind: kind, subjectId: id }: Erasure): ErasureSubject {
  return { clinicId, kind, id };
}

function toRecordName({ kind, id }: { kind: SubjectKind; id: number }): string {
  return `${RECORD_KINDS[kind]}/${id}`;
}
