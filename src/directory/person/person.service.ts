import type { EntityClass } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { ConflictError, NotFoundError, requireVersion, type ExpectedVersion } from '../../shared/errors/index.js';
import { encryptionOf, TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { CareProvider, Client, PersonData, PersonKind } from '../domain/person.entity.js';
import type { ChangePerson, CreatePerson, PutPerson } from '../dto/record-model.js';
import { DeactivationAndReassignmentEvents } from '../events/deactivation-and-reassignment-events.js';
import { TimeZoneEvents } from '../events/time-zone-events.js';
import type { ImportedDeactivation } from '../import/import-records.js';
import { Directory } from '../lookup/directory.js';
import { buildExternalIdFilter, findPeople, type ExternalIdFilter, type FoundRecord } from '../lookup/external-ids.js';
import { RecordLister } from '../record/record-lister.js';
import {
  FOR_UPDATE,
  putRecord,
  rejectTakenExternalId,
  TAKEN_EXTERNAL_ID_DETAIL,
  type PutRecordResult,
} from '../record/record-queries.js';

/** The condition that finds one person of a Clinic. */
export type PersonFilter = { clinicId: number; id: number } | ExternalIdFilter;

/**
 * Base class for the services that manage the Clients or the Care Providers of a Clinic. Subclasses add lists and
 * imports.
 */
@Injectable()
export abstract class PersonService<Person extends CareProvider | Client, View> {
  constructor(
    protected readonly em: TenantEntityManager,
    protected readonly directory: Directory,
    protected readonly deactivationEvents: DeactivationAndReassignmentEvents,
    protected readonly timeZoneEvents: TimeZoneEvents,
    protected readonly clock: Clock,
    protected readonly lister: RecordLister,
  ) {}

  /** The entity of the people that the service manages. */
  protected abstract readonly entity: EntityClass<CareProvider | Client>;
  protected abstract instantiate(clinicId: number, data: PersonData): Person;
  protected abstract findOne(where: PersonFilter, options: Partial<typeof FOR_UPDATE>): Promise<Person | null>;
  protected abstract toView(person: Person): View | Promise<View>;

  /** @throws ConflictError if the external ID is taken */
  create(caller: ClinicPrincipal, data: CreatePerson): Promise<number> {
    return rejectTakenExternalId(
      this.em.transactional(async (em) => {
        const clinic = await this.directory.requireClinicForNewPeople(caller);
        await this.rejectTakenPlainId(clinic.id, data.externalId);
        const person = this.instantiate(clinic.id, data);
        await em.persist<object>(person).flush();
        return person.id;
      }),
    );
  }

  /** @throws PreconditionFailedError if the person has another version or does not exist */
  put(
    caller: ClinicPrincipal,
    externalId: string,
    data: PutPerson,
    expectedVersion?: ExpectedVersion,
  ): Promise<PutRecordResult> {
    const { clinicId } = caller;
    return putRecord<CareProvider | Client>(this.em, {
      find: async () => {
        await this.directory.requireClinicForNewPeople(caller);
        return this.findByExternalId(clinicId, externalId, FOR_UPDATE);
      },
      create: () => this.instantiate(clinicId, { ...data, externalId }),
      change: (person) => this.deactivationEvents.changePerson(person, () => person.replace(data)),
      expectedVersion,
    });
  }

  /** @throws NotFoundError if the Clinic has no such person */
  get(caller: ClinicPrincipal, id: number): Promise<View> {
    return this.em.transactional(async () => this.toView(await this.require(caller, id)));
  }

  /**
   * @throws NotFoundError if the Clinic has no such person
   * @throws PreconditionFailedError if the person has another version
   * @throws ConflictError if the external ID is taken
   */
  change(caller: ClinicPrincipal, id: number, data: ChangePerson, seenVersion?: number): Promise<View> {
    return rejectTakenExternalId(
      this.em.transactional(async () => {
        const person = await this.require(caller, id, FOR_UPDATE);
        requireVersion(person, seenVersion);
        await this.rejectTakenPlainId(person.clinicId, data.externalId, person.id);
        await this.deactivationEvents.changePerson(person, () => person.change(data));
        return this.toView(person);
      }),
    );
  }

  /** @throws NotFoundError if the Clinic has no such person, PreconditionFailedError if it has another version */
  deactivate(caller: ClinicPrincipal, id: number, seenVersion?: number): Promise<void> {
    return this.em.transactional(async () => {
      const person = await this.require(caller, id, FOR_UPDATE);
      requireVersion(person, seenVersion);
      await this.deactivationEvents.changePerson(person, () => person.deactivate());
    });
  }

  /** Finds the people in the lines of an import. */
  protected async findImported(caller: ClinicPrincipal, externalIds: readonly string[]): Promise<FoundRecord[]> {
    await this.directory.requireClinicForNewPeople(caller);
    return findPeople(this.em, this.entity, caller.clinicId, externalIds);
  }

  /** Returns the functions by which an import locks the people that it has deactivated, and publishes their deactivation. */
  protected handleImportedDeactivation(clinicId: number, kind: PersonKind): ImportedDeactivation {
    return {
      lock: (ids) => this.deactivationEvents.lockForDeactivation(clinicId, kind, ids),
      publish: (ids) => this.deactivationEvents.publishImportedDeactivations(clinicId, kind, ids),
    };
  }

  /**
   * Checks rows whose external ID is not yet encrypted. The database compares only external IDs in the same form, so it
   * would not detect that such a row has the same ID.
   *
   * @throws ConflictError if another person has the external ID
   */
  private async rejectTakenPlainId(clinicId: number, externalId: string | null | undefined, ownId?: number) {
    if (externalId == null || !encryptionOf(this.em).encrypts) return;
    const other = await this.findByExternalId(clinicId, externalId, {});
    if (other !== null && other.id !== ownId) throw new ConflictError(TAKEN_EXTERNAL_ID_DETAIL);
  }

  private async findByExternalId(
    clinicId: number,
    externalId: string,
    options: Partial<typeof FOR_UPDATE>,
  ): Promise<Person | null> {
    return this.findOne(await buildExternalIdFilter(this.em, this.entity, clinicId, [externalId]), options);
  }

  /** @param options `FOR_UPDATE` locks the person, so concurrent changes are applied one after another */
  private async require(
    caller: ClinicPrincipal,
    id: number,
    options: Partial<typeof FOR_UPDATE> = {},
  ): Promise<Person> {
    const clinic = await this.directory.requireClinic(caller);
    const person = await this.findOne({ clinicId: clinic.id, id }, options);
    if (person === null) throw new NotFoundError();
    return person;
  }
}
