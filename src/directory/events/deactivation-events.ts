import { Injectable } from '@nestjs/common';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { personRef, type CareProvider, type Client } from '../domain/person.entity.js';
import { TimeZoneEvents } from './time-zone-events.js';

/** A person was deactivated, or Clients were reassigned to another Care Provider. */
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

/** Runs in the transaction of the change. An error rolls the change back. */
export type DeactivationHandler = (event: DeactivationEvent) => Promise<void>;

/**
 * Notifies other modules of deactivations and reassignments. The handlers run one after the other in the transaction of
 * the change, so that all their changes are committed together.
 */
@Injectable()
export class DeactivationEvents {
  private readonly handlers: DeactivationHandler[] = [];

  constructor(
    private readonly em: TenantEntityManager,
    private readonly timeZoneEvents: TimeZoneEvents,
    private readonly clock: Clock,
  ) {}

  /** Registers a handler until the application stops. */
  subscribe(handler: DeactivationHandler): void {
    this.handlers.push(handler);
  }

  /** Calls the handlers. Flushes first, so that their queries see the change. Requires a transaction. */
  async publish(event: DeactivationEvent): Promise<void> {
    await this.em.flush();
    for (const handler of this.handlers) await handler(event);
  }

  /** Publishes that a person was deactivated. */
  publishDeactivation(person: CareProvider | Client): Promise<void> {
    const { kind, id } = personRef(person);
    return this.publish({ kind: `${kind}_DEACTIVATED`, clinicId: person.clinicId, id, at: this.clock.now() });
  }

  /** Applies a change to a person, and publishes a change of the time zone and a deactivation. */
  async changePerson(person: CareProvider | Client, change: () => void): Promise<void> {
    const { active: wasActive, clinicId } = person;
    await this.timeZoneEvents.changeRecord(person, { clinicId, person: personRef(person) }, change);
    if (wasActive && !person.active) await this.publishDeactivation(person);
  }
}
