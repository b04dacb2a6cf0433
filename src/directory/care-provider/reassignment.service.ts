import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { NotFoundError, UnprocessableError, type Violation } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import { DeactivationAndReassignmentEvents } from '../events/deactivation-and-reassignment-events.js';
import { Directory } from '../lookup/directory.js';
import type { ReassignClients, ReassignClientsResult } from '../dto/reassign-clients.js';
import { CareProvider } from '../domain/person.entity.js';
import { FOR_UPDATE } from '../record/record-queries.js';

/** Maximum number of changed Sessions that a response lists. */
const MAX_LISTED_SESSIONS = 1_000;

/** Reassigns Clients from one Care Provider of a Clinic to another. */
@Injectable()
export class ReassignmentService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly deactivationEvents: DeactivationAndReassignmentEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Reassigns all or some Clients of a Care Provider to another. A Client who is assigned to both Care Providers keeps
   * only the assignment to the target. Repeating the call changes nothing.
   *
   * @throws NotFoundError if the source Care Provider, who may be deactivated, does not belong to the caller's Clinic
   * @throws UnprocessableError if the target is not another active Care Provider, or a Client is assigned to neither
   */
  reassign(
    caller: ClinicPrincipal,
    from: number,
    { toCareProviderId: to, clientIds }: ReassignClients,
  ): Promise<ReassignClientsResult> {
    return this.em.transactional(async () => {
      const { id: clinicId } = await this.directory.requireClinic(caller);
      await this.lockCareProviders(clinicId, from, to);
      const assignedToSource = await this.findAssignedClientIds(clinicId, from);
      const assignedToTarget = await this.findAssignedClientIds(clinicId, to);
      requireAssigned(clientIds ?? [], new Set([...assignedToSource, ...assignedToTarget]));
      const selected = new Set(clientIds ?? assignedToSource);
      const reassigned = [...assignedToSource].filter((id) => selected.has(id)).sort((left, right) => left - right);
      if (reassigned.length === 0) return { reassigned, sessions: [], sessionCount: 0, conflictCount: 0 };
      const moving = reassigned.filter((id) => !assignedToTarget.has(id));
      const change = { clinicId, fromCareProviderId: from, toCareProviderId: to, clientIds: reassigned };
      const { sessions, conflictCount } = await this.deactivationEvents.publish({
        kind: 'CLIENTS_REASSIGNED',
        ...change,
        at: this.clock.now(),
      });
      // The erasure of a Client locks series before assignments as well.
      await this.moveAssignments(clinicId, from, to, moving);
      await this.em.nativeDelete(ClientAssignment, { clinicId, careProviderId: from, clientId: { $in: reassigned } });
      const listed = sessions.slice(0, MAX_LISTED_SESSIONS);
      return { reassigned, sessions: listed, sessionCount: sessions.length, conflictCount };
    });
  }

  /** Locks both Care Providers so that they cannot change or be assigned further Clients until the transaction ends. */
  private async lockCareProviders(clinicId: number, from: number, to: number): Promise<void> {
    const careProviders = await this.em.find(CareProvider, { clinicId, id: { $in: [from, to] } }, FOR_UPDATE);
    if (!careProviders.some(({ id }) => id === from)) throw new NotFoundError();
    if (from === to) throw unprocessable({ pointer: '/toCareProviderId', detail: 'must be another Care Provider' });
    if (careProviders.some(({ id, active }) => id === to && active)) return;
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
  if (violations.length > 0) throw unprocessable(...violations);
}

function unprocessable(...violations: Violation[]): UnprocessableError {
  return new UnprocessableError(violations);
}
