import { Injectable } from '@nestjs/common';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Client, type CareProvider } from '../domain/person.entity.js';
import { TimeZoneEvents } from './time-zone-events.js';

/** Somebody leaves, or hands their Clients over. */
export type DeactivationEvent =
  | { kind: 'CLIENT_LEFT' | 'CARE_PROVIDER_LEFT'; clinicId: number; id: number; at: Temporal.Instant }
  | {
      kind: 'REASSIGNED';
      clinicId: number;
      fromCareProviderId: number;
      toCareProviderId: number;
      clientIds: number[];
      at: Temporal.Instant;
    };

/** Draws the consequences of a departure; what it throws undoes the departure. */
export type DeactivationHandler = (departure: DeactivationEvent) => Promise<void>;

/**
 * Where the directory tells the rest of the house that somebody leaves, without knowing who listens.
 * Handlers run one after the other within the transaction of the change, so all of it commits or nothing.
 */
@Injectable()
export class DeactivationEvents {
  private readonly handlers: DeactivationHandler[] = [];

  constructor(
    private readonly em: TenantEntityManager,
    private readonly zoneChanges: TimeZoneEvents,
    private readonly clock: Clock,
  ) {}

  /** Registers a handler, for as long as the application runs. */
  subscribe(handler: DeactivationHandler): void {
    this.handlers.push(handler);
  }

  /** To be called within the transaction of the change. What is changed so far is written first, for handlers to read. */
  async publish(departure: DeactivationEvent): Promise<void> {
    await this.em.flush();
    for (const handler of this.handlers) await handler(departure);
  }

  /** Announces a person who is not active any more. */
  publishDeactivation(person: CareProvider | Client): Promise<void> {
    const { clinicId, id } = person;
    const kind = person instanceof Client ? 'CLIENT_LEFT' : 'CARE_PROVIDER_LEFT';
    return this.publish({ kind, clinicId, id, at: this.clock.now() });
  }

  /** Changes a person, and announces it where they have left, or have another time zone. */
  async changePerson(person: CareProvider | Client, change: () => void): Promise<void> {
    const { active: wasActive, clinicId, id } = person;
    const kind = person instanceof Client ? 'CLIENT' : 'CARE_PROVIDER';
    await this.zoneChanges.changeRecord(person, { clinicId, person: { kind, id } }, change);
    if (wasActive && !person.active) await this.publishDeactivation(person);
  }
}
