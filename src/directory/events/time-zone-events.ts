import { Injectable } from '@nestjs/common';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import type { PersonRef } from '../domain/person.entity.js';

/** The time zone of a Clinic has changed, or that of one person of the Clinic. */
export type TimeZoneChange = { clinicId: number; person?: PersonRef };

/** Runs in the transaction of the change. An error rolls the change back. */
export type TimeZoneChangeHandler = (change: TimeZoneChange) => Promise<void>;

/**
 * Notifies other modules of changed time zones. The handlers run one after the other in the transaction of the change,
 * so that all their changes are committed together.
 */
@Injectable()
export class TimeZoneEvents {
  private readonly handlers: TimeZoneChangeHandler[] = [];

  constructor(private readonly em: TenantEntityManager) {}

  /** Registers a handler until the application stops. */
  subscribe(handler: TimeZoneChangeHandler): void {
    this.handlers.push(handler);
  }

  /** Calls the handlers. Flushes first, so that their queries see the change. Requires a transaction. */
  async publish(change: TimeZoneChange): Promise<void> {
    await this.em.flush();
    for (const handler of this.handlers) await handler(change);
  }

  /** Applies a change to a record, and publishes `event` if that has changed the time zone. */
  async changeRecord(record: { timeZone: string | null }, event: TimeZoneChange, change: () => void): Promise<void> {
    const { timeZone } = record;
    change();
    if (record.timeZone !== timeZone) await this.publish(event);
  }
}
