import { Injectable } from '@nestjs/common';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import type { PersonKind } from '../contacts.js';

/** The time zone of a Clinic, or of one person there, has changed. */
export type ZoneChange = { clinicId: number; person?: { kind: PersonKind; id: number } };

export type ZoneChangeHandler = (change: ZoneChange) => Promise<void>;

/**
 * Where the directory announces that a time zone has changed. Handlers run one after the other within the transaction
 * of the change, so that all of it commits or nothing.
 */
@Injectable()
export class ZoneChanges {
  private readonly handlers: ZoneChangeHandler[] = [];

  constructor(private readonly em: TenantEntityManager) {}

  /** Registers a handler, for as long as the application runs. */
  onChange(handler: ZoneChangeHandler): void {
    this.handlers.push(handler);
  }

  /** To be called within the transaction of the change. What is changed so far is written first, for handlers to read. */
  async announce(change: ZoneChange): Promise<void> {
    await this.em.flush();
    for (const handler of this.handlers) await handler(change);
  }

  /** Changes a record, and announces it where its zone has changed. */
  async watch(record: { timeZone: string | null }, of: ZoneChange, change: () => void): Promise<void> {
    const { timeZone } = record;
    change();
    if (record.timeZone !== timeZone) await this.announce(of);
  }
}
