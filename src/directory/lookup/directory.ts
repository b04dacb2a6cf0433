import { raw, type RawQueryFragment } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type {
  CareProviderPrincipal,
  ClientPrincipal,
  ClinicPrincipal,
  StaffPrincipal,
} from '../../shared/access/index.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import {
  acquireSharedClinicLockSql,
  executeDeferred,
  findTransactionClinicId,
  UNTRACKED,
  TenantEntityManager,
} from '../../shared/persistence/index.js';
import { Book } from '../domain/book.entity.js';
import { ClientAssignment } from '../domain/client-assignment.entity.js';
import { Clinic } from '../domain/clinic.entity.js';
import { CareProvider, Client } from '../domain/person.entity.js';
import { chooseTimeZone } from '../domain/time-zone-choice.js';
import { INACTIVE_CALLER_DETAIL } from './inactive-caller.js';
import { buildUsableBookIdsSql } from './usable-books.sql.js';

/**
 * Resolves the caller's records and finds records of the caller's Clinic for other modules. Each query is restricted to
 * one Clinic, so the ID of another Clinic's record yields no result. Requires a transaction.
 */
@Injectable()
export class Directory {
  constructor(private readonly em: TenantEntityManager) {}

  /** @throws ForbiddenError if the caller's Clinic does not exist or is deactivated */
  async requireClinic(caller: ClinicPrincipal): Promise<Clinic> {
    return this.requireActiveClinic(caller.clinicId);
  }

  /**
   * Also prevents an erasure of the Clinic until the transaction ends. A new person would otherwise be stored after the
   * erasure has destroyed the keys of all people.
   *
   * @throws ForbiddenError if the caller's Clinic does not exist or is deactivated
   */
  async requireClinicForNewPeople(caller: ClinicPrincipal): Promise<Clinic> {
    await this.preventErasure(caller.clinicId);
    return this.requireClinic(caller);
  }

  /**
   * Prevents an erasure of a Clinic until the transaction ends. The lock is sent together with the next query, in front of
   * it. If that query reads the Clinic, it sees an erasure that held the lock.
   */
  preventErasure(clinicId: number): Promise<void> {
    return executeDeferred(this.em, acquireSharedClinicLockSql('erasure', clinicId));
  }

  /** @throws ForbiddenError if the caller's Care Provider or Clinic does not exist or is deactivated */
  async requireCareProvider(caller: CareProviderPrincipal): Promise<{ careProvider: CareProvider; clinic: Clinic }> {
    const careProvider = await this.em.findActor(CareProvider, { id: caller.caregiverId, active: true });
    if (careProvider === null) throw new ForbiddenError(INACTIVE_CALLER_DETAIL);
    return { careProvider, clinic: await this.requireActiveClinic(careProvider.clinicId) };
  }

  /** @throws ForbiddenError if the caller's Client or Clinic does not exist or is deactivated */
  async requireClient(caller: ClientPrincipal): Promise<{ client: Client; clinic: Clinic }> {
    const client = await this.em.findActor(Client, { id: caller.clientId, active: true });
    if (client === null) throw new ForbiddenError(INACTIVE_CALLER_DETAIL);
    return { client, clinic: await this.requireActiveClinic(client.clinicId) };
  }

  /**
   * Finds the Clinic of a Clinic account or of a Care Provider.
   *
   * @throws ForbiddenError if the caller's Care Provider or Clinic does not exist or is deactivated
   */
  async requireStaffClinic(caller: StaffPrincipal): Promise<Clinic> {
    const clinic = await this.em.findActor(Clinic, { id: this.buildStaffClinicIdSql(caller) }, UNTRACKED);
    if (clinic === null) throw new ForbiddenError(INACTIVE_CALLER_DETAIL);
    return clinic;
  }

  /**
   * Returns an SQL expression for the ID of the caller's Clinic, to be used in the condition of another query. The
   * expression is NULL if the caller's Care Provider or Clinic does not exist or is deactivated. If the query finds
   * no row, call `requireStaffClinic`, which then throws the appropriate error.
   */
  buildStaffClinicIdSql(caller: StaffPrincipal): RawQueryFragment {
    if (caller.role === 'CLINIC') return raw('(select id from clinic where id = ? and active)', [caller.clinicId]);
    const clinicId = findTransactionClinicId(this.em);
    const [inClinic, values] = clinicId === undefined ? ['', []] : [' and clinic_id = ?', [clinicId]];
    const clinicOfCareProvider = `(select clinic_id from care_provider where id = ? and active${inClinic})`;
    return raw(`(select id from clinic where id = ${clinicOfCareProvider} and active)`, [
      caller.caregiverId,
      ...values,
    ]);
  }

  /**
   * Checks in one statement whether the Care Provider is active in the Clinic, and which Books the Clinic may use.
   *
   * @returns the results of both checks, and the Clinic's time zone
   * @throws ForbiddenError if the Clinic does not exist or is deactivated
   */
  async findUsableReferences(
    clinicId: number,
    careProviderId: number | undefined,
    bookIds: readonly number[],
  ): Promise<{ timeZone: string; isCareProviderActive: boolean; bookIds: Set<number> }> {
    const { rows } = await sql<{ time_zone: string; has_care_provider: boolean; book_ids: string[] }>`
      select time_zone, exists (
          select from care_provider
          where clinic_id = ${clinicId} and id = ${careProviderId ?? null}::bigint and active) as has_care_provider,
        ${buildUsableBookIdsSql(bookIds)} as book_ids
      from clinic where id = ${clinicId} and active`.execute(this.em.getKysely());
    const [found] = rows;
    if (found === undefined) throw new ForbiddenError(INACTIVE_CALLER_DETAIL);
    const { time_zone: timeZone, has_care_provider: isCareProviderActive, book_ids: ids } = found;
    return { timeZone, isCareProviderActive, bookIds: new Set(ids.map(Number)) };
  }

  /** Returns the Client's time zone, or the Clinic's if the Client has none. */
  async findClientTimeZone(clinic: Clinic, clientId: number): Promise<string> {
    const client = await this.em.findOneOrFail(Client, { clinicId: clinic.id, id: clientId });
    return chooseTimeZone(client, clinic);
  }

  async findAssignedClientIds(clinicId: number, careProviderId: number): Promise<number[]> {
    const assignments = await this.em.find(ClientAssignment, { clinicId, careProviderId });
    return assignments.map((assignment) => assignment.clientId);
  }

  /** Returns the IDs of those Books that are active and belong to the Clinic or to the shared catalogue. */
  async findUsableBookIds(clinicId: number, bookIds: readonly number[]): Promise<Set<number>> {
    if (bookIds.length === 0) return new Set();
    const usable = { id: { $in: [...new Set(bookIds)] }, $or: [{ clinicId }, { clinicId: null }], active: true };
    const books = await this.em.find(Book, usable, UNTRACKED);
    return new Set(books.map((book) => book.id));
  }

  /** Returns Book titles keyed by Book ID, including those of deactivated Books. */
  async findBookTitles(clinicId: number, bookIds: readonly number[]): Promise<Map<number, string>> {
    const id = { $in: [...new Set(bookIds)] };
    const books = await this.em.find(Book, { id, $or: [{ clinicId }, { clinicId: null }] });
    return new Map(books.map((book) => [book.id, book.title]));
  }

  private async requireActiveClinic(clinicId: number): Promise<Clinic> {
    const clinic = await this.em.findOne(Clinic, { id: clinicId, active: true }, UNTRACKED);
    if (clinic === null) throw new ForbiddenError(INACTIVE_CALLER_DETAIL);
    return clinic;
  }
}
