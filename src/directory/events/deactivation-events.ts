import { Injectable } from '@nestjs/common';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { personRef, type CareProvider, type Client } from '../domain/person.entity.js';
import { TimeZoneEvents } from './time-zone-events.js';

/** A person has been deactivated, or Clients have been reassigned to another Care Provider. */
export type DeactivationEvent =
  | {
      kind: 'CLIENT_DEACTIVATED' | 'CARE_PROVIDER_DEACTIVATED';
      clinicId: number;
      id: number;
      at: Temporal.Instant;
    }
  | {
      kind: 'CLIENTS_REASSIGNED';
      clinicId: number;
      fromCareProviderId: number;
      toCareProviderId: number;
      clientIds: number[];
      at: Temporal.Instant;
    };

/** Runs in the transaction that makes the change. If the handler throws, the change is rolled back. */
export type DeactivationHandler = (event: DeactivationEvent) => Promise<void>;

/**
 * Notifies other modules of deactivations and reassignments. The handlers run one after another in the transaction that
 * makes the change, so all changes are committed together.
 */
@Injectable()
export class DeactivationEvents {
  private readonly handlers: DeactivationHandler[] = [];

  constructor(
    private readonly em: TenantEntityManager,
    private readonly timeZoneEvents: TimeZoneEvents,
    private readonly clock: Clock,
  ) {}

  /** Registers a handler for the lifetime of the application. */
  subscribe(handler: DeactivationHandler): void {
    this.handlers.push(handler);
  }

  /** Flushes so that the handlers' queries see the change, then calls the handlers. Requires a transaction. */
  async publish(event: DeactivationEvent): Promise<void> {
    await this.em.flush();
    for (const handler of this.handlers) await handler(event);
  }

  /** Publishes the deactivation of a person. */
  publishDeactivation(person: CareProvider | Client): Promise<void> {
    const { kind, id } = personRef(person);
    return this.publish({ kind: `${kind}_DEACTIVATED`, clinicId: person.clinicId, id, at: this.clock.now() });
  }

  /** Applies a change to a person, and publishes events if it changes the time zone or deactivates the person. */
  async changePerson(person: CareProvider | Client, change: () => void): Promise<void> {
    const { active: wasActive, clinicId } = person;
    await this.timeZoneEvents.changeRecord(person, { clinicId, person: personRef(person) }, change);
    if (wasActive && !person.active) await this.publishDeactivation(person);
  }
}
