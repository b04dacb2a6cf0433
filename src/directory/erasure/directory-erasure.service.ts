import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../shared/errors/index.js';
import { acquireExclusiveClinicLockSql, executeDeferred, TenantEntityManager } from '../../shared/persistence/index.js';
import { Clinic } from '../domain/clinic.entity.js';
import { CareProvider, Client, type PersonRef } from '../domain/person.entity.js';
import { DeactivationAndReassignmentEvents } from '../events/deactivation-and-reassignment-events.js';
import { FOR_UPDATE } from '../record/record-queries.js';

/** Finds, locks and erases the records of people and Clinics. Requires a transaction. */
@Injectable()
export class DirectoryErasureService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly deactivationEvents: DeactivationAndReassignmentEvents,
  ) {}

  /** Locks a person until the transaction ends. @throws NotFoundError if the Clinic has no such person */
  lockPerson(clinicId: number, person: PersonRef): Promise<CareProvider | Client> {
    return this.findPerson(clinicId, person, FOR_UPDATE);
  }

  /**
   * Locks a Clinic. Also waits for transactions that create people of the Clinic or open an access to its data.
   *
   * @throws NotFoundError if there is no such Clinic
   */
  async lockClinic(id: number): Promise<Clinic> {
    await executeDeferred(this.em, acquireExclusiveClinicLockSql('erasure', id));
    return this.findClinic(id, FOR_UPDATE);
  }

  /** @throws NotFoundError if the Clinic has no such person */
  async findPerson(
    clinicId: number,
    { kind, id }: PersonRef,
    options: Partial<typeof FOR_UPDATE> = {},
  ): Promise<CareProvider | Client> {
    const where = { clinicId, id };
    const person =
      kind === 'CLIENT'
        ? await this.em.findOne(Client, where, options)
        : await this.em.findOne(CareProvider, where, options);
    if (person === null) throw new NotFoundError();
    return person;
  }

  /** @throws NotFoundError if there is no such Clinic */
  async findClinic(id: number, options: Partial<typeof FOR_UPDATE> = {}): Promise<Clinic> {
    const clinic = await this.em.findOne(Clinic, { id }, options);
    if (clinic === null) throw new NotFoundError();
    return clinic;
  }

  /**
   * Clears the data of a person. If the person was active, also publishes their deactivation, which cancels their
   * upcoming Sessions.
   */
  async erasePerson(person: CareProvider | Client, now: Temporal.Instant): Promise<void> {
    const { active: wasActive } = person;
    person.erase(now);
    if (wasActive) await this.deactivationEvents.publishDeactivation(person);
    else await this.em.flush();
  }
}
