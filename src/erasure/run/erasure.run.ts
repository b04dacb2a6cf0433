// eslint-disable-next-line no-restricted-imports -- The job erases data of all Clinics.
import { EntityManager, LockMode } from '@mikro-orm/core';
// eslint-disable-next-line no-restricted-imports -- The job erases data of all Clinics.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import { sql } from 'kysely';
import { recordSystemChange } from '../../audit/index.js';
import type { ErasureSubject, SubjectKind } from '../../shared/erasure/index.js';
import { FieldEncryption, forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Erasure } from '../domain/erasure.entity.js';
import { ErasureSettings } from '../erasure-settings.js';
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
    private readonly encryption: FieldEncryption,
    private readonly settings: ErasureSettings,
  ) {}

  /** @param progress called after each transaction */
  async eraseConfirmed(progress: () => void = () => undefined): Promise<void> {
    for (const id of await this.findUnfinished()) {
      await this.destroyKeysOfPeople(id);
      progress();
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
      locked.finish(this.settings.backupLifetime, this.clock.now());
      return true;
    });
    if (!isFirst) return;
    this.metrics.countFinished(erasure.subjectKind);
    this.logger.log({ event: 'erasure.finished', erasure: id, subject: erasure.subjectKind }, 'an erasure is finished');
  }

  /**
   * Destroys the key with which the subject's fields are encrypted. Then they are unreadable in all backups as well.
   */
  private async destroyDataKey({ kind, id }: ErasureSubject): Promise<void> {
    await this.encryption.keys?.destroy([{ kind, id }]);
  }

  /** The rows of a Clinic's people are deleted, and with them the IDs by which their keys are found. */
  private async destroyKeysOfPeople(id: number): Promise<void> {
    const { keys } = this.encryption;
    const erasure = await this.inTransaction((em) => em.findOneOrFail(Erasure, { id }));
    if (keys === undefined || erasure.subjectKind !== 'CLINIC') return;
    const people = await this.inTransaction(async (em) => {
      const { rows } = await sql<{ kind: 'CLIENT' | 'CARE_PROVIDER'; id: string }>`
        select 'CLIENT' as kind, id from client where clinic_id = ${erasure.clinicId}
        union all select 'CARE_PROVIDER', id from care_provider where clinic_id = ${erasure.clinicId}`.execute(
        em.getKysely(),
      );
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

function toSubject({ clinicId, subjectKind: kind, subjectId: id }: Erasure): ErasureSubject {
  return { clinicId, kind, id };
}

function toRecordName({ kind, id }: { kind: SubjectKind; id: number }): string {
  return `${RECORD_KINDS[kind]}/${id}`;
}
