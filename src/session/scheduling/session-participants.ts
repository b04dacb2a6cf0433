import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { ParticipantLocks, type ClinicReference, type ParticipantStatus } from '../../directory/index.js';
import type { CareProviderPrincipal } from '../../shared/access/index.js';
import { ConflictError, type Violation } from '../../shared/errors/index.js';
import type { ConflictPolicy } from '../domain/change-options.js';
import type { Session } from '../domain/session.entity.js';

/** Those of new Sessions, held, and what stands against them. */
export type NewSessionParticipants = {
  clinic: ClinicReference;
  /** What stands against them, as pointers into the request. */
  violations: Violation[];
  /** The zone that the Client lives in. */
  clientZone: string;
  /** Those of the Books that the Clinic may use. */
  bookIds: ReadonlySet<number>;
};

/** What a change is about: one Session, or more of its series. */
export type LockScope = 'session' | 'series';

type ParticipantIds = { clientId: number; caregiverId?: number };

/**
 * Between whom Sessions may be made: Clients and Care Providers of the Clinic. Each is held until the transaction
 * ends: alone where overlaps are refused, so that nobody else may give either of them a Session meanwhile; where not,
 * shared, so that whoever refuses sees this change or comes first, and neither leaves.
 */
@Injectable()
export class SessionParticipants {
  constructor(private readonly locks: ParticipantLocks) {}

  /**
   * Holds those of new Sessions at the caller's Clinic, and says what stands against them.
   *
   * @param bookIds of their homework
   * @throws ForbiddenError when a record of the token is not active
   */
  async lockForCreation(
    policy: ConflictPolicy,
    caller: CareProviderPrincipal,
    { clientId, caregiverId = caller.caregiverId }: ParticipantIds,
    bookIds: readonly number[],
  ): Promise<NewSessionParticipants> {
    const named = { careProviderId: caregiverId, clientId, bookIds };
    const usable = await this.locks.lockNewParticipants(caller, named, policy === 'reject');
    const violations = [
      ...(usable.hasClient && usable.isAssigned
        ? []
        : [{ pointer: '/clientId', detail: 'must be one of your assigned Clients' }]),
      ...(usable.hasCareProvider ? [] : [{ pointer: '/caregiverId', detail: 'must be a Care Provider of the Clinic' }]),
    ];
    const { clinic, clientZone } = usable;
    return { clinic, violations, clientZone: clientZone ?? clinic.timeZone, bookIds: usable.bookIds };
  }

  /** Holds those of a Session, or of all of its series, before it is changed. */
  async lockForChange(
    policy: ConflictPolicy,
    { clinicId, seriesId, clientId, caregiverId }: Session,
    reach: LockScope,
  ): Promise<LockedParticipants> {
    // After a hand-over, later Sessions of a series and its new weeks are another Care Provider's.
    const ofSeries = sql`select caregiver_id from session_series where clinic_id = ${clinicId} and id = ${seriesId}`;
    const ofSessions =
      reach === 'session'
        ? sql`select ${caregiverId}::bigint`
        : sql`select caregiver_id from session where clinic_id = ${clinicId} and series_id = ${seriesId}`;
    const caregiverIds = sql`array(${ofSessions} union ${ofSeries})`;
    return new LockedParticipants(
      await this.locks.lockParticipants(clinicId, caregiverIds, clientId, policy === 'reject'),
    );
  }
}

/** The Care Providers and the Client of a series that are held, and who of them has not left. */
export class LockedParticipants {
  constructor(private readonly held: ParticipantStatus) {}

  /** @throws ConflictError when a Session or the series was handed over to somebody else just before these were held */
  assertCareProvidersLocked(caregiverIds: readonly number[]): void {
    const { activeCareProviderIds, inactiveCareProviderIds } = this.held;
    if (caregiverIds.every((id) => activeCareProviderIds.has(id) || inactiveCareProviderIds.has(id))) return;
    throw new ConflictError('The series is being handed over to another Care Provider: read it again.');
  }

  /**
   * Nothing can be arranged with somebody who has left; what has happened with them can still be put right.
   *
   * @throws ConflictError when one of the Sessions is still to come
   */
  assertActive(sessions: readonly Session[], now: Temporal.Instant): void {
    for (const session of sessions.filter((each) => each.isUpcoming(now))) {
      if (!this.held.isClientActive) throw inactiveError('Client', session, 'Make them active again first');
      if (this.held.activeCareProviderIds.has(session.caregiverId)) continue;
      throw inactiveError(
        'Care Provider',
        session,
        'Hand their Clients over to another one first, or make them active again',
      );
    }
  }
}

function inactiveError(who: string, { position }: Session, remedy: string): ConflictError {
  const detail = `The ${who} of the Session at place ${position} has left: it cannot be scheduled.`;
  return new ConflictError(`${detail} ${remedy}.`);
}
