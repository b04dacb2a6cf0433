import type { TimeZoneEvents } from '../events/time-zone-events.js';

/**
 * Collects the time zones that an import changes, and publishes one event for each Clinic instead of one for each of
 * thousands of people.
 */
export class ImportedTimeZoneChanges {
  private readonly clinicIds = new Set<number>();

  constructor(private readonly changes: TimeZoneEvents) {}

  changeRecord(clinicId: number, record: { timeZone: string | null }, change: () => void): void {
    const { timeZone } = record;
    change();
    if (record.timeZone !== timeZone) this.clinicIds.add(clinicId);
  }

  /** Publishes the events. To be called after the records have been written. */
  async publish(): Promise<void> {
    for (const clinicId of this.clinicIds) await this.changes.publish({ clinicId });
    this.clinicIds.clear();
  }
}
