import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Scheduler } from '../scheduler/index.js';
import { ConflictError, NotFoundError } from '../shared/errors/index.js';
import { afterCommit, TenantEntityManager } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { parseCursor, toPage, type Page, type PageQuery } from '../shared/validation/index.js';
import { Erasure } from './domain/erasure.entity.js';
import { toErasureModel, type CreateErasure, type ErasureModel } from './dto/erasure-model.js';
import { ErasureCounter } from './erasure-counter.js';
import { ErasureSettings } from './erasure-settings.js';
import { ErasureSubjects, type ErasingCaller, type LockedSubject, type SubjectReference } from './erasure-subjects.js';
import { LegalHolds } from './legal-holds.js';
import { ERASURE_JOB } from './run/erasure.job.js';

const erasureKey = z.tuple([z.int()]);

/**
 * Lets a Clinic erase its Clients and Care Providers, and an administrator erase a Clinic. An erasure is first
 * requested, then confirmed.
 */
@Injectable()
export class ErasureService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly subjects: ErasureSubjects,
    private readonly holds: LegalHolds,
    private readonly counter: ErasureCounter,
    private readonly settings: ErasureSettings,
    private readonly scheduler: Scheduler,
    private readonly clock: Clock,
  ) {}

  /**
   * Requests an erasure, and counts the rows that it would remove.
   *
   * @throws NotFoundError if the caller has no such record
   * @throws ConflictError if there is a legal hold, if the record is already erased, or if there is an open request
   */
  request(caller: ErasingCaller, reference: SubjectReference, data: CreateErasure): Promise<ErasureModel> {
    return this.em.transactional(async (em) => {
      const subject = await this.subjects.lock(caller, reference);
      const now = this.clock.now();
      await this.requireErasable(subject);
      const newest = await this.findNewest(subject);
      if (newest?.getStatus(now) === 'REQUESTED') {
        throw new ConflictError(`The erasure ${newest.id} is requested already: confirm it, or wait until it expires.`);
      }
      const counts = await this.counter.count(subject);
      const erasure = new Erasure(subject, { ...data, counts }, this.settings.periods, now);
      await em.persist(erasure).flush();
      return toErasureModel(erasure, now);
    });
  }

  /**
   * Confirms a request: the contents of the record are removed immediately, and the job removes the rest. Idempotent.
   *
   * @throws NotFoundError if the caller has no such erasure
   * @throws ConflictError if the request cannot be confirmed: too early, expired, refused, or under a legal hold
   */
  confirm(caller: ErasingCaller, reference: SubjectReference, id: number): Promise<ErasureModel> {
    return this.em.transactional(async (em) => {
      const subject = await this.subjects.lock(caller, reference);
      const now = this.clock.now();
      // The lock on the subject is enough. One on the erasure would wait for the job, which may wait for the subject.
      const erasure = await em.findOne(Erasure, { ...toOwner(subject), id });
      if (erasure === null) throw new NotFoundError();
      if (erasure.confirmedAt !== null) return toErasureModel(erasure, now);
      await this.requireErasable(subject);
      erasure.confirm(this.settings.backupLifetime, now);
      await this.subjects.erase(caller, subject, now);
      afterCommit(em, () => this.scheduler.runIfStarted(ERASURE_JOB));
      return toErasureModel(erasure, now);
    });
  }

  /** @throws NotFoundError if the caller has no such erasure */
  get(caller: ErasingCaller, reference: SubjectReference, id: number): Promise<ErasureModel> {
    return this.em.transactional(async (em) => {
      const clinicId = await this.subjects.requireClinicId(caller, reference);
      const erasure = await em.findOne(Erasure, { ...toOwner({ ...reference, clinicId }), id });
      if (erasure === null) throw new NotFoundError();
      return toErasureModel(erasure, this.clock.now());
    });
  }

  /**
   * Lists the erasures of one record, newest first.
   *
   * @throws NotFoundError if the caller has no such record
   */
  list(caller: ErasingCaller, reference: SubjectReference, { limit, cursor }: PageQuery): Promise<Page<ErasureModel>> {
    return this.em.transactional(async (em) => {
      const clinicId = await this.subjects.requireClinicId(caller, reference);
      const [before] = parseCursor(cursor, erasureKey) ?? [];
      const where = {
        ...toOwner({ ...reference, clinicId }),
        ...(before === undefined ? {} : { id: { $lt: before } }),
      };
      const erasures = await em.find(Erasure, where, { orderBy: { id: 'desc' }, limit: limit + 1 });
      const now = this.clock.now();
      return toPage(
        erasures,
        limit,
        (erasure) => [erasure.id],
        (erasure) => toErasureModel(erasure, now),
      );
    });
  }

  private findNewest(subject: LockedSubject): Promise<Erasure | null> {
    return this.em.findOne(Erasure, toOwner(subject), { orderBy: { id: 'desc' } });
  }

  private async requireErasable({ record, ...subject }: LockedSubject): Promise<void> {
    if (record.erasedAt !== null) throw new ConflictError('The record is erased already.');
    await this.holds.requireNone(subject);
  }
}

function toOwner({ clinicId, kind, id }: SubjectReference & { clinicId: number }) {
  return { clinicId, subjectKind: kind, subjectId: id };
}
