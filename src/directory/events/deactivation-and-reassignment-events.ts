import { Injectable } from '@nestjs/common';
import { splitIntoBatches } from '../../shared/batches.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { toPersonRef, type CareProvider, type Client, type PersonRef } from '../domain/person.entity.js';
import { TimeZoneEvents } from './time-zone-events.js';

/** People of one kind have been deactivated. */
export type DeactivationEvent = {
  kind: 'CLIENTS_DEACTIVATED' | 'CARE_PROVIDERS_DEACTIVATED';
  clinicId: number;
  ids: number[];
  /** Whether the people are deactivated because their data is erased. */
  isErased: boolean;
  at: Temporal.Instant;
};

/** Clients have been reassigned to another Care Provider. */
export type ReassignmentEvent = {
  kind: 'CLIENTS_REASSIGNED';
  clinicId: number;
  fromCareProviderId: number;
  toCareProviderId: number;
  clientIds: number[];
  at: Temporal.Instant;
};

export type DeactivationOrReassignmentEvent = DeactivationEvent | ReassignmentEvent;

/**
 * Limits the Sessions and reminders that a handler changes at a time: PostgreSQL allows 65,535 parameters, and much
 * work at once delays other requests. One event for each person would make an import of Clients several times slower.
 */
const MAX_PEOPLE_PER_EVENT = 10;

/** A Session that a handler has changed, with its new version. */
type ChangedSession = { id: number; version: number };

/** The changes of a handler. */
type HandlerOutcome = {
  sessions: readonly ChangedSession[];
  /** The number of overlaps of reassigned Sessions with other Sessions. */
  conflictCount: number;
};

/** Handles an event in the transaction that makes the change. If the handler throws, the change is rolled back. */
type DeactivationOrReassignmentHandler = (event: DeactivationOrReassignmentEvent) => Promise<HandlerOutcome>;

/** Locks the records that a handler changes for these people, in the order in which all transactions lock them. */
type DeactivationLock = (people: Omit<DeactivationEvent, 'isErased'>) => Promise<void>;

/**
 * Notifies other modules of deactivations and reassignments. The handlers run one after another in the transaction that
 * makes the change, so all changes are committed together.
 */
@Injectable()
export class DeactivationAndReassignmentEvents {
  private readonly handlers: DeactivationOrReassignmentHandler[] = [];
  private readonly locks: DeactivationLock[] = [];

  constructor(
    private readonly em: TenantEntityManager,
    private readonly timeZoneEvents: TimeZoneEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Registers a handler for the lifetime of the application.
   *
   * @param lock called for all people that a transaction deactivates, before their first event
   */
  subscribe(handler: DeactivationOrReassignmentHandler, lock?: DeactivationLock): void {
    this.handlers.push(handler);
    if (lock !== undefined) this.locks.push(lock);
  }

  /**
   * Flushes so that the handlers' queries see the change, then calls the handlers. Requires a transaction.
   *
   * @returns what the handlers have changed
   */
  async publish(event: DeactivationOrReassignmentEvent): Promise<HandlerOutcome> {
    await this.em.flush();
    const outcomes: HandlerOutcome[] = [];
    for (const handler of this.handlers) outcomes.push(await handler(event));
    return {
      sessions: outcomes.flatMap(({ sessions }) => sessions),
      conflictCount: outcomes.reduce((sum, { conflictCount }) => sum + conflictCount, 0),
    };
  }

  /** Publishes the deactivation of a person. */
  async publishDeactivation(person: CareProvider | Client): Promise<void> {
    const { clinicId, erasedAt } = person;
    const { kind, id } = toPersonRef(person);
    const isErased = erasedAt !== null;
    await this.lockForDeactivation(clinicId, kind, [id]);
    await this.publish({ kind: `${kind}S_DEACTIVATED`, clinicId, ids: [id], isErased, at: this.clock.now() });
  }

  /**
   * Locks what the deactivation of these people changes. Must be called once in a transaction, for all people, because
   * events that each lock the records of their own people do not lock them in the order of other transactions.
   */
  async lockForDeactivation(clinicId: number, kind: PersonRef['kind'], ids: readonly number[]): Promise<void> {
    const event = `${kind}S_DEACTIVATED` as const;
    const people = { kind: event, clinicId, ids: [...ids], at: this.clock.now() };
    for (const lock of this.locks) await lock(people);
  }

  /** Publishes deactivations of an import after `lockForDeactivation`, in events that each contain several people. */
  async publishImportedDeactivations(clinicId: number, kind: PersonRef['kind'], ids: readonly number[]): Promise<void> {
    const deactivation = { kind: `${kind}S_DEACTIVATED`, clinicId, isErased: false } as const;
    for (const batch of splitIntoBatches(ids, MAX_PEOPLE_PER_EVENT))
      await this.publish({ ...deactivation, ids: batch, at: this.clock.now() });
  }

  /**
   * Applies a change to a person, and publishes events if it deactivates the person or changes the time zone. The
   * deactivation is first: it locks series and then reminders, like all transactions, and the other event locks reminders.
   */
  async changePerson(person: CareProvider | Client, change: () => void): Promise<void> {
    const { active: wasActive, clinicId, timeZone } = person;
    change();
    if (wasActive && !person.active) await this.publishDeactivation(person);
    if (person.timeZone !== timeZone) await this.timeZoneEvents.publish({ clinicId, person: toPersonRef(person) });
  }
}
