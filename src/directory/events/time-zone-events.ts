import { Injectable } from '@nestjs/common';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import type { PersonRef } from '../domain/person.entity.js';

/** The time zone of a Clinic, or of one person in the Clinic, has changed. */
type TimeZoneChange = { clinicId: number; person?: PersonRef };

/** Handles a change in the transaction that makes it. If the handler throws, the change is rolled back. */
type TimeZoneChangeHandler = (change: TimeZoneChange) => Promise<void>;

/**
 * Notifies other modules of time zone changes. The handlers run one after another in the transaction that makes the
 * change, so all changes are committed together.
 */
@Injectable()
export class TimeZoneEvents {
  private readonly handlers: TimeZoneChangeHandler[] = [];

  constructor(private readonly em: TenantEntityManager) {}

  /** Registers a handler for the lifetime of the application. */
  subscribe(handler: TimeZoneChangeHandler): void {
    this.handlers.push(handler);
  }

  /** Flushes so that the handlers' queries see the change, then calls the handlers. Requires a transaction. */
  async publish(change: TimeZoneChange): Promise<void> {
    await this.em.flush();
    for (const handler of this.handlers) await handler(change);
  }

  /** Applies a change to a record, and publishes `event` if the change affects the time zone. */
  async changeAndTrack(record: { timeZone: string | null }, event: TimeZoneChange, change: () => void): Promise<void> {
    const { timeZone } = record;
    change();
    if (record.timeZone !== timeZone) await this.publish(event);
  }
}
