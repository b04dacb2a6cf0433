import { Injectable } from '@nestjs/common';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import type { PersonKind } from '../lookup/cross-clinic.reader.js';

/** The time zone of a Clinic, or of one person there, has changed. */
export type TimeZoneChange = { clinicId: number; person?: { kind: PersonKind; id: number } };

export type TimeZoneChangeHandler = (change: TimeZoneChange) => Promise<void>;

/**
 * Where the directory announces that a time zone has changed. Handlers run one after the other within the transaction
 * of the change, so that all of it commits or nothing.
 */
@Injectable()
export class TimeZoneEvents {
  private readonly handlers: TimeZoneChangeHandler[] = [];

  constructor(private readonly em: TenantEntityManager) {}

  /** Registers a handler, for as long as the application runs. */
  subscribe(handler: TimeZoneChangeHandler): void {
    this.handlers.push(handler);
  }

  /** To be called within the transaction of the change. What is changed so far is written first, for handlers to read. */
  async publish(change: TimeZoneChange): Promise<void> {
    await this.em.flush();
    for (const handler of this.handlers) await handler(change);
  }

  /** Changes a record, and announces it where its zone has changed. */
  async changeRecord(record: { timeZone: string | null }, of: TimeZoneChange, change: () => void): Promise<void> {
    const { timeZone } = record;
    change();
    if (record.timeZone !== timeZone) await this.publish(of);
  }
}
