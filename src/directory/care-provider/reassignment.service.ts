import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { NotFoundError, UnprocessableError, type Violation } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { ClientAssignment } from '../client/client-assignment.entity.js';
import { Deactivations } from '../deactivations.js';
import { Directory } from '../directory.js';
import type { Reassign, Reassigned } from '../dto/reassignment.js';
import { CareProvider } from '../person.entity.js';
import { LOCKED } from '../records.js';

/** An answer must not grow with the request. */
const MAX_VIOLATIONS = 100;

/** Clients change from one Care Provider of the Clinic to another. */
@Injectable()
export class ReassignmentService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly departures: Deactivations,
    private readonly clock: Clock,
  ) {}

  /**
   * Hands over all Clients of a Care Provider, or some. Those whom the other one has already keep that
   * one assignment; the same call again changes nothing.
   *
   * @throws NotFoundError when the Care Provider is not of the caller's Clinic; a deactivated one is
   * @throws UnprocessableError for somebody who cannot take over, or Clients of neither of the two
   */
  reassign(caller: ClinicPrincipal, from: number, { toCareProviderId: to, clientIds }: Reassign): Promise<Reassigned> {
    return this.em.transactional(async () => {
      const { id: clinicId } = await this.directory.requireClinic(caller);
      await this.requireBoth(clinicId, from, to);
      const held = await this.clientsOf(clinicId, from);
      const alsoOfTarget = await this.clientsOf(clinicId, to);
      requireOfEither(clientIds ?? [], new Set([...held, ...alsoOfTarget]));
      const named = new Set(clientIds ?? held);
      const reassigned = [...held].filter((id) => named.has(id)).sort((left, right) => left - right);
      if (reassigned.length === 0) return { reassigned };
      const moving = reassigned.filter((id) => !alsoOfTarget.has(id));
      await this.move(clinicId, from, to, moving);
      await this.em.nativeDelete(ClientAssignment, { clinicId, careProviderId: from, clientId: { $in: reassigned } });
      const who = { clinicId, fromCareProviderId: from, toCareProviderId: to, clientIds: reassigned };
      await this.departures.announce({ kind: 'REASSIGNED', ...who, at: this.clock.now() });
      return { reassigned };
    });
  }

  /** Locks the two, so that nobody is assigned to either meanwhile and neither leaves. */
  private async requireBoth(clinicId: number, from: number, to: number): Promise<void> {
    const both = await this.em.find(CareProvider, { clinicId, id: { $in: [from, to] } }, LOCKED);
    if (!both.some(({ id }) => id === from)) throw new NotFoundError();
    if (from === to) throw refusing({ pointer: '/toCareProviderId', detail: 'must be another Care Provider' });
    if (both.some(({ id, active }) => id === to && active)) return;
    throw refusing({ pointer: '/toCareProviderId', detail: 'must be an active Care Provider of the Clinic' });
  }

  private async clientsOf(clinicId: number, careProviderId: number): Promise<Set<number>> {
    return new Set(await this.directory.assignedClientIds(clinicId, careProviderId));
  }

  private async move(clinicId: number, from: number, to: number, clientIds: number[]): Promise<void> {
    await this.em.nativeUpdate(
      ClientAssignment,
      { clinicId, careProviderId: from, clientId: { $in: clientIds } },
      { careProviderId: to, assignedAt: this.clock.now() },
    );
  }
}

function requireOfEither(clientIds: readonly number[], assigned: ReadonlySet<number>): void {
  const violations = clientIds.flatMap((id, index) =>
    assigned.has(id)
      ? []
      : [{ pointer: `/clientIds/${index}`, detail: 'must be a Client who is assigned to the Care Provider' }],
  );
  if (violations.length > 0) throw refusing(...violations.slice(0, MAX_VIOLATIONS));
}

function refusing(...violations: Violation[]): UnprocessableError {
  return new UnprocessableError(violations);
}
