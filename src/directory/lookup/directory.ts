import { LockMode, raw, type RawQueryFragment } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import type {
  CareProviderPrincipal,
  ClientPrincipal,
  ClinicPrincipal,
  StaffPrincipal,
} from '../../shared/access/index.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { UNTRACKED, executeDeferred, TenantEntityManager } from '../../shared/persistence/index.js';
import { Book } from '../domain/book.entity.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import type { PersonKind } from './cross-clinic.reader.js';
import { Clinic } from '../domain/clinic.entity.js';
import { CareProvider, Client } from '../domain/person.entity.js';

const INACTIVE = 'The record that the token names is not there or not active.';

/** A Clinic as far as those need to know it who write for it. */
export type ClinicReference = Pick<Clinic, 'id' | 'timeZone'>;

/** Those that are held: who of them is active. */
export type ParticipantStatus = {
  activeCareProviderIds: ReadonlySet<number>;
  /** Care Providers who have left. */
  inactiveCareProviderIds: ReadonlySet<number>;
  isClientActive: boolean;
};

/** Between whom Sessions are to be made, and the Books of their homework. */
type ReferencedIds = { caregiverId: number; clientId: number; bookIds: readonly number[] };

/** What of it the Clinic of the caller has, active all of it. */
type FoundReferences = {
  clinic: ClinicReference;
  hasCareProvider: boolean;
  hasClient: boolean;
  /** Whether the Client is assigned to the caller. */
  isAssigned: boolean;
  /** The Client's own zone. */
  clientZone: string | null;
  bookIds: ReadonlySet<number>;
};

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
 * What other modules may ask of the directory. Every look-up takes the caller's Clinic, so a foreign
 * id cannot be looked up at all. To be called within the caller's transaction.
 */
@Injectable()
export class Directory {
  constructor(private readonly em: TenantEntityManager) {}

  /** @throws ForbiddenError when the Clinic of the token is not there or not active */
  async requireClinic(caller: ClinicPrincipal): Promise<Clinic> {
    return this.requireActiveClinic(caller.clinicId);
  }

  /** @throws ForbiddenError when the Care Provider of the token, or its Clinic, is not there or not active */
  async requireCareProvider(caller: CareProviderPrincipal): Promise<{ careProvider: CareProvider; clinic: Clinic }> {
    const careProvider = await this.em.findActor(CareProvider, { id: caller.caregiverId, active: true });
    if (careProvider === null) throw new ForbiddenError(INACTIVE);
    return { careProvider, clinic: await this.requireActiveClinic(careProvider.clinicId) };
  }

  /** @throws ForbiddenError when the Client of the token, or the Clinic, is not there or not active */
  async requireClient(caller: ClientPrincipal): Promise<{ client: Client; clinic: Clinic }> {
    const client = await this.em.findActor(Client, { id: caller.clientId, active: true });
    if (client === null) throw new ForbiddenError(INACTIVE);
    return { client, clinic: await this.requireActiveClinic(client.clinicId) };
  }

  /** The Clinic of either kind of caller. @throws ForbiddenError when a record of the token is not there or not active */
  async requireStaffClinic(caller: StaffPrincipal): Promise<Clinic> {
    const clinic = await this.em.findActor(Clinic, { id: this.staffClinicIdSql(caller) }, UNTRACKED);
    if (clinic === null) throw new ForbiddenError(INACTIVE);
    return clinic;
  }

  /**
   * The Clinic of a caller, for a look-up of something else: it finds nothing when a record of the token is not there
   * or not active. Who then asks `requireClinicOf` why, has saved a statement wherever something was found.
   */
  staffClinicIdSql(caller: StaffPrincipal): RawQueryFragment {
    if (caller.role === 'CLINIC') return raw('(select id from clinic where id = ? and active)', [caller.clinicId]);
    const own = '(select clinic_id from care_provider where id = ? and active)';
    return raw(`(select id from clinic where id = ${own} and active)`, [caller.caregiverId]);
  }

  /**
   * What a Clinic may refer to, in one statement: whether the Care Provider is an active one of its own, and which of
   * the Books it may use. With the zone of the Clinic.
   *
   * @throws ForbiddenError when the Clinic is not there or not active
   */
  async findUsableReferences(
    clinicId: number,
    caregiverId: number | undefined,
    bookIds: readonly number[],
  ): Promise<{ timeZone: string; hasCareProvider: boolean; bookIds: Set<number> }> {
    const { rows } = await sql<{ time_zone: string; has_care_provider: boolean; book_ids: string[] }>`
      select time_zone, exists (
          select from care_provider
          where clinic_id = clinic.id and id = ${caregiverId ?? null}::bigint and active) as has_care_provider,
        ${usableOf(bookIds)} as book_ids
      from clinic where id = ${clinicId} and active`.execute(this.em.getKysely());
    const [found] = rows;
    if (found === undefined) throw new ForbiddenError(INACTIVE);
    const { time_zone: timeZone, has_care_provider: hasCareProvider, book_ids: ids } = found;
    return { timeZone, hasCareProvider, bookIds: new Set(ids.map(Number)) };
  }

  /** Locks a Client or a Care Provider, so that nobody gives them a Session until the transaction ends. */
  async lockPerson(clinicId: number, { kind, id }: { kind: PersonKind; id: number }): Promise<void> {
    const table = sql.table(kind === 'CLIENT' ? 'client' : 'care_provider');
    await sql`select 1 from ${table} where clinic_id = ${clinicId} and id = ${id} for update`.execute(
      this.em.getKysely(),
    );
  }

  /** The zone that a Client lives in: their own, or that of the Clinic. */
  async findClientTimeZone(clinic: Clinic, clientId: number): Promise<string> {
    const client = await this.em.findOneOrFail(Client, { clinicId: clinic.id, id: clientId });
    return client.timeZone ?? clinic.timeZone;
  }

  /**
   * Holds Care Providers and a Client of the Clinic until the transaction ends, always in this order, and
   * answers who of them is active: shared, so that neither can leave meanwhile; or alone, so that nobody else
   * can give either of them a Session. One statement instead of two.
   *
   * @param caregiverIds an expression of SQL for an array of them, so that they need not be looked up before
   */
  async lockParticipants(
    clinicId: number,
    caregiverIds: RawBuilder<unknown>,
    clientId: number,
    alone: boolean,
  ): Promise<ParticipantStatus> {
    const clinic = sql`select ${clinicId}::bigint as id`;
    const { rows } = await sql<ParticipantRow>`
      ${holding(clinic, caregiverIds, clientId, alone)}
      select provider.id, provider.active as provider_active, held.active as client_active
      ${ALL_HELD}`.execute(this.em.getKysely());
    const providers = (active: boolean) =>
      new Set(rows.flatMap((row) => (row.provider_active === active ? [Number(row.id)] : [])));
    const isClientActive = rows[0]?.client_active ?? false;
    return { activeCareProviderIds: providers(true), inactiveCareProviderIds: providers(false), isClientActive };
  }

  /**
   * Holds those of new Sessions in the same way, at the Clinic of the caller, and answers what the Clinic has of what is
   * named. The lock is not waited for by itself: the look-up is sent with it, and sees what is there once all are held.
   * Until then a hand-over could take the Client from the caller.
   *
   * @throws ForbiddenError when the Care Provider of the token, or its Clinic, is not there or not active
   */
  async lockNewParticipants(
    { caregiverId: callerId }: CareProviderPrincipal,
    { caregiverId, clientId, bookIds }: ReferencedIds,
    alone: boolean,
  ): Promise<FoundReferences> {
    // Whether they are active is asked once, when they are held: who comes back in that moment is held, too.
    const clinic = sql`select clinic_id as id from care_provider where id = ${callerId}`;
    const lock = sql`
      ${holding(clinic, sql`${[caregiverId]}::bigint[]`, clientId, alone)}
      select ${ALL_HELD}`;
    await executeDeferred(this.em, lock);
    const { rows } = await sql<ReferencesRow>`
      select clinic.id, clinic.time_zone, client.id is not null as has_client, client.time_zone as client_zone,
        exists (
          select from care_provider
          where clinic_id = clinic.id and id = ${caregiverId} and active) as has_care_provider,
        exists (
          select from client_assignment
          where clinic_id = clinic.id and care_provider_id = ${callerId} and client_id = ${clientId}) as is_assigned,
        ${usableOf(bookIds)} as book_ids
      from clinic left join client on client.clinic_id = clinic.id and client.id = ${clientId} and client.active
      where clinic.id = (select clinic_id from care_provider where id = ${callerId} and active) and clinic.active`.execute(
      this.em.getKysely(),
    );
    const [found] = rows;
    if (found === undefined) throw new ForbiddenError(INACTIVE);
    const { id, time_zone: timeZone, client_zone: clientZone, book_ids: ids } = found;
    return {
      clinic: { id: Number(id), timeZone },
      hasCareProvider: found.has_care_provider,
      hasClient: found.has_client,
      isAssigned: found.is_assigned,
      clientZone,
      bookIds: new Set(ids.map(Number)),
    };
  }

  /** Shares the time of a Care Provider until the transaction ends, before a plan is locked that refers to them. */
  async lockCareProvider(clinicId: number, caregiverId: number): Promise<void> {
    await this.em.findOne(CareProvider, { clinicId, id: caregiverId }, { lockMode: LockMode.PESSIMISTIC_READ });
  }

  /** The ids of the Clients who are assigned to the Care Provider. */
  async findAssignedClientIds(clinicId: number, caregiverId: number): Promise<number[]> {
    const assignments = await this.em.find(ClientAssignment, { clinicId, careProviderId: caregiverId });
    return assignments.map((assignment) => assignment.clientId);
  }

  /** Those of the given Books that the Clinic may use: active, and its own or in the shared catalogue. */
  async findUsableBookIds(clinicId: number, bookIds: readonly number[]): Promise<Set<number>> {
    if (bookIds.length === 0) return new Set();
    const usable = { id: { $in: [...new Set(bookIds)] }, $or: [{ clinicId }, { clinicId: null }], active: true };
    const books = await this.em.find(Book, usable, UNTRACKED);
    return new Set(books.map((book) => book.id));
  }

  /** Titles of Books that the Clinic has given, by their ids; also of those that have been withdrawn since. */
  async findBookTitles(clinicId: number, bookIds: readonly number[]): Promise<Map<number, string>> {
    const id = { $in: [...new Set(bookIds)] };
    const books = await this.em.find(Book, { id, $or: [{ clinicId }, { clinicId: null }] });
    return new Map(books.map((book) => [book.id, book.title]));
  }

  private async requireActiveClinic(clinicId: number): Promise<Clinic> {
    const clinic = await this.em.findOne(Clinic, { id: clinicId, active: true }, UNTRACKED);
    if (clinic === null) throw new ForbiddenError(INACTIVE);
    return clinic;
  }
}

/** Names and locks Care Providers and then a Client of a Clinic, as `ALL_HELD` has them: the one before the other. */
function holding(
  clinic: RawBuilder<unknown>,
  caregiverIds: RawBuilder<unknown>,
  clientId: number,
  alone: boolean,
): RawBuilder<unknown> {
  const lock = sql.raw(alone ? 'for update' : 'for share');
  return sql`
    with at as materialized (${clinic}), provider as materialized (
      select id, active from care_provider
      where clinic_id = (select id from at) and id = any(${caregiverIds}) order by id ${lock}
    ), held as materialized (
      select active from client
      where clinic_id = (select id from at) and id = ${clientId} and (select count(*) from provider) >= 0 ${lock}
    )`;
}

const ALL_HELD = sql`from at left join provider on true left join held on true`;

/** Those of the Books that the `clinic` of a statement may use: active, and its own or in the shared catalogue. */
function usableOf(bookIds: readonly number[]): RawBuilder<unknown> {
  return sql`array(
    select id from book
    where id = any(${[...new Set(bookIds)]}::bigint[]) and active and (clinic_id = clinic.id or clinic_id is null))::text[]`;
}
