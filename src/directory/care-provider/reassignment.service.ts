import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { NotFoundError, UnprocessableError, type Violation } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import { DeactivationEvents } from '../events/deactivation-events.js';
import { Directory } from '../lookup/directory.js';
import type { ReassignClients, ReassignClientsResult } from '../dto/reassign-clients.js';
import { CareProvider } from '../domain/person.entity.js';
import { FOR_UPDATE } from '../record/record-queries.js';

/** An answer must not grow with the request. */
const MAX_VIOLATIONS = 100;

/** Clients change from one Care Provider of the Clinic to another. */
@Injectable()
export class ReassignmentService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly deactivationEvents: DeactivationEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Hands over all Clients of a Care Provider, or some. Those whom the other one has already keep that
   * one assignment; the same call again changes nothing.
   *
   * @throws NotFoundError when the Care Provider is not of the caller's Clinic; a deactivated one is
   * @throws UnprocessableError for somebody who cannot take over, or Clients of neither of the two
   */
  reassign(
    caller: ClinicPrincipal,
    from: number,
    { toCareProviderId: to, clientIds }: ReassignClients,
  ): Promise<ReassignClientsResult> {
    return this.em.transactional(async () => {
      const { id: clinicId } = await this.directory.requireClinic(caller);
      await this.lockCareProviders(clinicId, from, to);
      const held = await this.findAssignedClientIds(clinicId, from);
      const alsoOfTarget = await this.findAssignedClientIds(clinicId, to);
      requireAssigned(clientIds ?? [], new Set([...held, ...alsoOfTarget]));
      const named = new Set(clientIds ?? held);
      const reassigned = [...held].filter((id) => named.has(id)).sort((left, right) => left - right);
      if (reassigned.length === 0) return { reassigned };
      const moving = reassigned.filter((id) => !alsoOfTarget.has(id));
      await this.moveAssignments(clinicId, from, to, moving);
      await this.em.nativeDelete(ClientAssignment, { clinicId, careProviderId: from, clientId: { $in: reassigned } });
      const who = { clinicId, fromCareProviderId: from, toCareProviderId: to, clientIds: reassigned };
      await this.deactivationEvents.publish({ kind: 'REASSIGNED', ...who, at: this.clock.now() });
      return { reassigned };
    });
  }

  /** Locks the two, so that nobody is assigned to either meanwhile and neither leaves. */
  private async lockCareProviders(clinicId: number, from: number, to: number): Promise<void> {
    const both = await this.em.find(CareProvider, { clinicId, id: { $in: [from, to] } }, FOR_UPDATE);
    if (!both.some(({ id }) => id === from)) throw new NotFoundError();
    if (from === to) throw unprocessable({ pointer: '/toCareProviderId', detail: 'must be another Care Provider' });
    if (both.some(({ id, active }) => id === to && active)) return;
    throw unprocessable({ pointer: '/toCareProviderId', detail: 'must be an active Care Provider of the Clinic' });
  }

  private async findAssignedClientIds(clinicId: number, careProviderId: number): Promise<Set<number>> {
    return new Set(await this.directory.findAssignedClientIds(clinicId, careProviderId));
  }

  private async moveAssignments(clinicId: number, from: number, to: number, clientIds: number[]): Promise<void> {
    await this.em.nativeUpdate(
      ClientAssignment,
      { clinicId, careProviderId: from, clientId: { $in: clientIds } },
      { careProviderId: to, assignedAt: this.clock.now() },
    );
  }
}

function requireAssigned(clientIds: readonly number[], assigned: ReadonlySet<number>): void {
  const violations = clientIds.flatMap((id, index) =>
    assigned.has(id)
      ? []
      : [{ pointer: `/clientIds/${index}`, detail: 'must be a Client who is assigned to the Care Provider' }],
  );
  if (violations.length > 0) throw unprocessable(...violations.slice(0, MAX_VIOLATIONS));
}

function unprocessable(...violations: Violation[]): UnprocessableError {
  return new UnprocessableError(violations);
}
