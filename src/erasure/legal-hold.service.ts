import { Injectable } from '@nestjs/common';
import { Directory, DirectoryErasureService } from '../directory/index.js';
import type { ClinicPrincipal } from '../shared/access/index.js';
import { ConflictError } from '../shared/errors/index.js';
import { acquireSharedClinicLockSql, executeDeferred, TenantEntityManager } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { Erasure } from './domain/erasure.entity.js';
import { LegalHold } from './domain/legal-hold.entity.js';
import { toLegalHoldModel, type LegalHoldModel, type PutLegalHold } from './dto/legal-hold-model.js';
import { LegalHolds } from './legal-holds.js';

/** Sets and lifts legal holds, which prevent the erasure of a Client. */
@Injectable()
export class LegalHoldService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly records: DirectoryErasureService,
    private readonly holds: LegalHolds,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets the hold, or changes its reason. Open requests to erase the Client or the Clinic are refused.
   *
   * @throws NotFoundError if the Clinic has no such Client
   * @throws ConflictError if the Client is erased
   */
  put(caller: ClinicPrincipal, clientId: number, data: PutLegalHold): Promise<LegalHoldModel> {
    return this.em.transactional(async (em) => {
      const clinicId = await this.lockClient(caller, clientId);
      const now = this.clock.now();
      const existing = await this.holds.findLive(clinicId, clientId);
      existing?.change(data);
      const hold = existing ?? new LegalHold(clinicId, clientId, data, now);
      await em.persist(hold).flush();
      await this.refuseRequests(clinicId, clientId, now);
      return toLegalHoldModel(clientId, hold);
    });
  }

  /** @throws NotFoundError if the Clinic has no such Client */
  get(caller: ClinicPrincipal, clientId: number): Promise<LegalHoldModel> {
    return this.em.transactional(async () => {
      const { id: clinicId } = await this.directory.requireClinic(caller);
      await this.records.findPerson(clinicId, { kind: 'CLIENT', id: clientId });
      return toLegalHoldModel(clientId, await this.holds.findLive(clinicId, clientId));
    });
  }

  /**
   * Lifts the hold, if there is one.
   *
   * @throws NotFoundError if the Clinic has no such Client
   */
  lift(caller: ClinicPrincipal, clientId: number): Promise<void> {
    return this.em.transactional(async () => {
      const { id: clinicId } = await this.directory.requireClinic(caller);
      await this.records.lockPerson(clinicId, { kind: 'CLIENT', id: clientId });
      (await this.holds.findLive(clinicId, clientId))?.lift(this.clock.now());
    });
  }

  /**
   * Also prevents an erasure of the Clinic and the removal of expired data, which would otherwise be confirmed or continue
   * without seeing the new hold.
   */
  private async lockClient(caller: ClinicPrincipal, id: number): Promise<number> {
    await this.directory.preventErasure(caller.clinicId);
    await executeDeferred(this.em, acquireSharedClinicLockSql('retention', caller.clinicId));
    const { id: clinicId } = await this.directory.requireClinic(caller);
    const { erasedAt } = await this.records.lockPerson(clinicId, { kind: 'CLIENT', id });
    if (erasedAt !== null) throw new ConflictError('The Client is erased already.');
    return clinicId;
  }

  private async refuseRequests(clinicId: number, clientId: number, now: Temporal.Instant): Promise<void> {
    const requests = await this.em.find(Erasure, {
      clinicId,
      $or: [
        { subjectKind: 'CLIENT', subjectId: clientId },
        { subjectKind: 'CLINIC', subjectId: clinicId },
      ],
      ...{ confirmedAt: null, refusedAt: null, expiresAt: { $gt: now } },
    });
    for (const request of requests) request.refuse(now);
  }
}
