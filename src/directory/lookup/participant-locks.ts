import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import type { CareProviderPrincipal, StaffPrincipal } from '../../shared/access/index.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { executeDeferred, findTransactionClinicId, TenantEntityManager } from '../../shared/persistence/index.js';
import type { Clinic } from '../domain/clinic.entity.js';
import { CareProvider, type PersonRef } from '../domain/person.entity.js';
import { INACTIVE_CALLER_DETAIL } from './inactive-caller.js';
import { buildUsableBookIdsSql } from './usable-books.sql.js';

export type ClinicReference = Pick<Clinic, 'id' | 'timeZone'>;

/** Which of the locked Care Providers are active, and whether the Client is active. */
export type ParticipantStatus = {
  activeCareProviderIds: ReadonlySet<number>;
  inactiveCareProviderIds: ReadonlySet<number>;
  isClientActive: boolean;
};

/** The records that a request for new Sessions refers to. */
type ReferencedIds = { careProviderId: number; clientId: number; bookIds: readonly number[] };

/** Which of the referenced records the caller may use. */
export type UsableReferences = {
  clinic: ClinicReference;
  /** Whether the Care Provider is active in the Clinic. */
  isCareProviderActive: boolean;
  /** Whether the Client is active in the Clinic. */
  isClientActive: boolean;
  /** Whether the Client is assigned to the caller or, if a Clinic calls, to the Care Provider named in the request. */
  isAssigned: boolean;
  /** The Client's own time zone. */
  clientZone: string | null;
  bookIds: ReadonlySet<number>;
};

type LockedPerson = { isActive: boolean; isErased: boolean };

type ParticipantRow = { id: string | null; provider_active: boolean | null; client_active: boolean | null };

type ReferencesRow = {
  id: string;
  time_zone: string;
  has_care_provider: boolean;
  has_client: boolean;
  is_assigned: boolean;
  client_zone: string | null;
  book_ids: string[];
};

/**
 * Locks the participants of Sessions until the transaction ends. A shared lock prevents their deactivation and
 * reassignment. An exclusive lock also prevents other transactions from creating Sessions for them. To avoid deadlocks,
 * Care Providers are locked before Clients, and each kind is locked in order of ID.
 */
@Injectable()
export class ParticipantLocks {
  constructor(private readonly em: TenantEntityManager) {}

  /**
   * Locks one person exclusively. The result is that of the locked row: a transaction for which the lock has waited may
   * have deactivated or erased the person.
   */
  async lockPerson(clinicId: number, { kind, id }: PersonRef): Promise<LockedPerson> {
    const table = sql.table(kind === 'CLIENT' ? 'client' : 'care_provider');
    const { rows } = await sql<{ active: boolean; erased: boolean }>`
      select active, erased_at is not null as erased from ${table}
      where clinic_id = ${clinicId} and id = ${id} for update`.execute(this.em.getKysely());
    const [row] = rows;
    return { isActive: row?.active ?? false, isErased: row?.erased ?? true };
  }

  /**
   * Locks the record of the caller exclusively.
   *
   * @throws ForbiddenError if the record was deactivated before it could be locked
   */
  async lockCaller(clinicId: number, person: PersonRef): Promise<void> {
    const { isActive } = await this.lockPerson(clinicId, person);
    if (!isActive) throw new ForbiddenError(INACTIVE_CALLER_DETAIL);
  }

  /** Locks a Care Provider with a shared lock. Must be called before one of the Care Provider's plans is locked. */
  async lockCareProvider(clinicId: number, careProviderId: number): Promise<void> {
    await this.em.findOne(CareProvider, { clinicId, id: careProviderId }, { lockMode: LockMode.PESSIMISTIC_READ });
  }

  /**
   * Locks Care Providers and a Client in one statement.
   *
   * @param careProviderIds an SQL expression of type bigint[], so no separate query is needed to find the IDs
   */
  async lockParticipants(
    clinicId: number,
    careProviderIds: RawBuilder<unknown>,
    clientId: number,
    isExclusive: boolean,
  ): Promise<ParticipantStatus> {
    const clinic = toKnownClinic(clinicId);
    const { rows } = await sql<ParticipantRow>`
      ${participantLockSql(clinic, careProviderIds, clientId, isExclusive)}
      select provider.id, provider.active as provider_active, participant.active as client_active
      ${LOCKED_PARTICIPANTS}`.execute(this.em.getKysely());
    const selectIds = (active: boolean) =>
      new Set(rows.flatMap((row) => (row.provider_active === active ? [Number(row.id)] : [])));
    const isClientActive = rows[0]?.client_active ?? false;
    return { activeCareProviderIds: selectIds(true), inactiveCareProviderIds: selectIds(false), isClientActive };
  }

  /**
   * Locks the participants of new Sessions in the caller's Clinic, and finds which of the referenced records the caller
   * may use. The lock is a deferred statement, which is sent together with the query. Because the query runs once the
   * lock is held, no reassignment can be committed between the two.
   *
   * @throws ForbiddenError if the caller's Care Provider or Clinic does not exist or is deactivated
   */
  async lockNewParticipants(
    caller: StaffPrincipal,
    references: ReferencedIds,
    isExclusive: boolean,
  ): Promise<UsableReferences> {
    const { careProviderId, clientId } = references;
    // Deactivated people are locked too, in case they are reactivated between the lock and the query.
    const clinicId = caller.role === 'CLINIC' ? caller.clinicId : findTransactionClinicId(this.em);
    const clinic =
      clinicId === undefined ? toClinicOf((caller as CareProviderPrincipal).caregiverId) : toKnownClinic(clinicId);
    const lock = sql`
      ${participantLockSql(clinic, sql`${[careProviderId]}::bigint[]`, clientId, isExclusive)}
      select ${LOCKED_PARTICIPANTS}`;
    await executeDeferred(this.em, lock);
    const { rows } = await referencesSql(caller, references, clinicId).execute(this.em.getKysely());
    const [found] = rows;
    if (found === undefined) throw new ForbiddenError(INACTIVE_CALLER_DETAIL);
    return {
      clinic: { id: Number(found.id), timeZone: found.time_zone },
      isCareProviderActive: found.has_care_provider,
      isClientActive: found.has_client,
      isAssigned: found.is_assigned,
      clientZone: found.client_zone,
      bookIds: new Set(found.book_ids.map(Number)),
    };
  }
}

/** The Clinic whose participants are locked: a statement that selects its ID, and an expression for the ID. */
type LockedClinic = { statement: RawBuilder<unknown>; id: RawBuilder<unknown> };

function toKnownClinic(clinicId: number): LockedClinic {
  return { statement: sql`select ${clinicId}::bigint as id`, id: sql`${clinicId}` };
}

function toClinicOf(careProviderId: number): LockedClinic {
  return {
    statement: sql`select clinic_id as id from care_provider where id = ${careProviderId}`,
    id: sql`(select id from at)`,
  };
}

/** Builds a `with` clause that locks Care Providers and then a Client. `LOCKED_PARTICIPANTS` selects from it. */
function participantLockSql(
  clinic: LockedClinic,
  careProviderIds: RawBuilder<unknown>,
  clientId: number,
  isExclusive: boolean,
): RawBuilder<unknown> {
  const lock = sql.raw(isExclusive ? 'for update' : 'for share');
  return sql`
    with at as materialized (${clinic.statement}), provider as materialized (
      select id, active from care_provider
      where clinic_id = ${clinic.id} and id = any(${careProviderIds}) order by id ${lock}
    ), participant as materialized (
      select active from client
      where clinic_id = ${clinic.id} and id = ${clientId} and (select count(*) from provider) >= 0 ${lock}
    )`;
}

const LOCKED_PARTICIPANTS = sql`from at left join provider on true left join participant on true`;

/** @param knownId the ID of the Clinic, if it is known without a query */
function referencesSql(
  caller: StaffPrincipal,
  { careProviderId, clientId, bookIds }: ReferencedIds,
  knownId: number | undefined,
) {
  const assignedTo = caller.role === 'CLINIC' ? careProviderId : caller.caregiverId;
  const id = knownId === undefined ? sql`clinic.id` : sql`${knownId}::bigint`;
  const clinicId =
    caller.role === 'CLINIC'
      ? sql`${caller.clinicId}::bigint`
      : sql`(select clinic_id from care_provider
          where id = ${caller.caregiverId} and active ${knownId === undefined ? sql`` : sql`and clinic_id = ${id}`})`;
  return sql<ReferencesRow>`
      select clinic.id, clinic.time_zone, client.id is not null as has_client, client.time_zone as client_zone,
        exists (
          select from care_provider
          where clinic_id = ${id} and id = ${careProviderId} and active) as has_care_provider,
        exists (
          select from client_assignment
          where clinic_id = ${id} and care_provider_id = ${assignedTo} and client_id = ${clientId}) as is_assigned,
        ${buildUsableBookIdsSql(bookIds)} as book_ids
      from clinic left join client on client.clinic_id = ${id} and client.id = ${clientId} and client.active
      where clinic.id = ${clinicId} and clinic.active`;
}
