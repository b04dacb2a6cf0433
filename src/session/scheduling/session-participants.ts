import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import {
  chooseTimeZone,
  ParticipantLocks,
  type ClinicReference,
  type UsableReferences,
  type ParticipantStatus,
} from '../../directory/index.js';
import type { StaffPrincipal } from '../../shared/access/index.js';
import { ConflictError, InvalidRequestError, type Violation } from '../../shared/errors/index.js';
import type { ConflictPolicy } from '../domain/change-options.js';
import type { Session } from '../domain/session.entity.js';

/** The locked participants of new Sessions, and the validation errors found in the request. */
export type NewSessionParticipants = {
  clinic: ClinicReference;
  careProviderId: number;
  /** Errors for fields that name a Client or Care Provider that the caller cannot use. */
  violations: Violation[];
  /** Time zone of the Client; defaults to that of the Clinic. */
  clientZone: string;
  /** IDs of the requested Books that the Clinic may use. */
  bookIds: ReadonlySet<number>;
};

/** Whether a change affects one Session or the whole series. */
export type LockScope = 'session' | 'series';

type ParticipantIds = { clientId: number; caregiverId?: number };

/**
 * Locks the Client and the Care Providers of Sessions until the transaction ends. If overlaps are rejected, the locks
 * are exclusive, so no other transaction can schedule Sessions for the same participants. Otherwise the locks are
 * shared: they prevent concurrent deactivation and wait for transactions that reject overlaps.
 */
@Injectable()
export class SessionParticipants {
  constructor(private readonly locks: ParticipantLocks) {}

  /**
   * Locks the participants of new Sessions at the caller's Clinic and validates them.
   *
   * @param bookIds IDs of the Books to assign as homework
   * @throws ForbiddenError when the caller's Care Provider or Clinic is not active
   */
  async lockForCreation(
    policy: ConflictPolicy,
    caller: StaffPrincipal,
    { clientId, caregiverId }: ParticipantIds,
    bookIds: readonly number[],
  ): Promise<NewSessionParticipants> {
    const careProviderId = caregiverId ?? requireOwnId(caller);
    const requested = { careProviderId, clientId, bookIds };
    const found = await this.locks.lockNewParticipants(caller, requested, policy === 'reject');
    const violations = caller.role === 'CLINIC' ? findViolationsOfClinic(found) : findViolationsOfCareProvider(found);
    const { clinic, clientZone } = found;
    return {
      clinic,
      careProviderId,
      violations,
      clientZone: chooseTimeZone({ timeZone: clientZone }, clinic),
      bookIds: found.bookIds,
    };
  }

  /** Locks the participants of a Session, or of all Sessions in its series. */
  async lockForChange(
    policy: ConflictPolicy,
    { clinicId, seriesId, clientId, caregiverId }: Session,
    scope: LockScope,
  ): Promise<LockedParticipants> {
    // After a reassignment, Sessions in the same series can have different Care Providers.
    const seriesCareProvider = sql`select caregiver_id from session_series where clinic_id = ${clinicId} and id = ${seriesId}`;
    const sessionCareProviders =
      scope === 'session'
        ? sql`select ${caregiverId}::bigint`
        : sql`select caregiver_id from session where clinic_id = ${clinicId} and series_id = ${seriesId}`;
    const caregiverIds = sql`array(${sessionCareProviders} union ${seriesCareProvider})`;
    return new LockedParticipants(
      await this.locks.lockParticipants(clinicId, caregiverIds, clientId, policy === 'reject'),
    );
  }
}

/**
 * Checks the participants if the caller is a Care Provider. The Client must be assigned to the caller, but the Sessions
 * may be with another Care Provider of the Clinic.
 */
function findViolationsOfCareProvider({
  isClientActive,
  isAssigned,
  isCareProviderActive,
}: UsableReferences): Violation[] {
  return [
    ...(isClientActive && isAssigned ? [] : [{ pointer: '/clientId', detail: 'must be one of your assigned Clients' }]),
    ...(isCareProviderActive ? [] : [{ pointer: '/caregiverId', detail: 'must be a Care Provider of the Clinic' }]),
  ];
}

/** Checks the participants if the caller is a Clinic. The Client must be assigned to the Care Provider. */
function findViolationsOfClinic({ isClientActive, isAssigned, isCareProviderActive }: UsableReferences): Violation[] {
  if (!isCareProviderActive) return [{ pointer: '/caregiverId', detail: 'must be a Care Provider of the Clinic' }];
  if (isClientActive && isAssigned) return [];
  // Either field may be the wrong one, so both are reported.
  return [
    { pointer: '/clientId', detail: 'must be a Client who is assigned to the Care Provider' },
    { pointer: '/caregiverId', detail: 'must be a Care Provider of the Client' },
  ];
}

/**
 * Returns the caller's own Care Provider ID.
 *
 * @throws InvalidRequestError if the caller is a Clinic, which must name a Care Provider
 */
function requireOwnId(caller: StaffPrincipal): number {
  if (caller.role === 'CARE_PROVIDER') return caller.caregiverId;
  throw new InvalidRequestError([{ pointer: '/caregiverId', detail: 'must be given' }]);
}

/** The locked Client and Care Providers of a Session or series, with their status. */
class LockedParticipants {
  constructor(private readonly status: ParticipantStatus) {}

  /** @throws ConflictError when a concurrent reassignment has set a Care Provider that is not locked */
  assertCareProvidersLocked(caregiverIds: readonly number[]): void {
    const { activeCareProviderIds, inactiveCareProviderIds } = this.status;
    if (caregiverIds.every((id) => activeCareProviderIds.has(id) || inactiveCareProviderIds.has(id))) return;
    throw new ConflictError('The series was reassigned to another Care Provider at the same time. Read it again.');
  }

  /**
   * Asserts that upcoming Sessions have only active participants. Past Sessions can still be corrected after a
   * participant is deactivated.
   *
   * @throws ConflictError when an upcoming Session has a deactivated participant
   */
  assertActive(sessions: readonly Session[], now: Temporal.Instant): void {
    for (const session of sessions.filter((each) => each.isUpcoming(now))) {
      if (!this.status.isClientActive) throw inactiveError('Client', session, 'Activate the Client first');
      if (this.status.activeCareProviderIds.has(session.caregiverId)) continue;
      throw inactiveError('Care Provider', session, 'Reassign the Clients or activate the Care Provider first');
    }
  }
}

function inactiveError(role: string, { position }: Session, remedy: string): ConflictError {
  const detail = `The Session at position ${position} cannot be scheduled because its ${role} is deactivated.`;
  return new ConflictError(`${detail} ${remedy}.`);
}
