import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { NotFoundError, UnprocessableError } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import { CareProvider, Client } from '../domain/person.entity.js';
import { Directory } from '../lookup/directory.js';
import { FOR_UPDATE } from '../record/record-queries.js';

/** Assigns Clients to Care Providers, and ends such assignments. */
@Injectable()
export class AssignmentService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
  ) {}

  /**
   * Assigns a Client to a Care Provider. Does nothing if the assignment already exists.
   *
   * @throws NotFoundError if the Client or the Care Provider is not in the caller's Clinic
   * @throws UnprocessableError if one of them is deactivated
   */
  assign(caller: ClinicPrincipal, clientId: number, careProviderId: number): Promise<void> {
    return this.em.transactional(async (em) => {
      const { clinicId, careProvider, client } = await this.lockBoth(caller, clientId, careProviderId);
      requireActive({ id: client, careProviderId: careProvider });
      const assignment = new ClientAssignment(clinicId, clientId, careProviderId, this.clock.now());
      await em.upsert(ClientAssignment, assignment, {
        onConflictAction: 'ignore',
        onConflictFields: ['clinicId', 'clientId', 'careProviderId'],
      });
    });
  }

  /**
   * Ends an assignment, but keeps existing Sessions. Does nothing if there is no such assignment.
   *
   * @throws NotFoundError if the Client or the Care Provider is not in the caller's Clinic; both may be deactivated
   */
  unassign(caller: ClinicPrincipal, clientId: number, careProviderId: number): Promise<void> {
    return this.em.transactional(async (em) => {
      const { clinicId } = await this.lockBoth(caller, clientId, careProviderId);
      await em.nativeDelete(ClientAssignment, { clinicId, clientId, careProviderId });
    });
  }

  /**
   * Locks the Care Provider and then the Client, as all transactions do, so that none of them can deadlock. The lock of
   * the Care Provider also prevents a reassignment of the Client meanwhile.
   */
  private async lockBoth(caller: ClinicPrincipal, clientId: number, careProviderId: number) {
    const { id: clinicId } = await this.directory.requireClinic(caller);
    const shared = { lockMode: LockMode.PESSIMISTIC_READ } as const;
    const careProvider = await this.em.findOne(CareProvider, { clinicId, id: careProviderId }, shared);
    const client = await this.em.findOne(Client, { clinicId, id: clientId }, FOR_UPDATE);
    if (careProvider === null || client === null) throw new NotFoundError();
    return { clinicId, careProvider, client };
  }
}

/** @param people the people by the path parameter that names them */
function requireActive(people: Readonly<Record<string, { active: boolean }>>): void {
  const violations = Object.entries(people).flatMap(([parameter, { active }]) =>
    active ? [] : [{ pointer: `/${parameter}`, detail: 'is deactivated' }],
  );
  if (violations.length > 0) throw new UnprocessableError(violations);
}
