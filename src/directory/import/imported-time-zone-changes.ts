import type { TimeZoneEvents } from '../events/time-zone-events.js';

/**
 * Collects the time zone changes that an import makes, and publishes one event per Clinic instead of an event for each
 * of possibly thousands of people.
 */
export class ImportedTimeZoneChanges {
  private readonly clinicIds = new Set<number>();

  constructor(private readonly changes: TimeZoneEvents) {}

  changeAndTrack(clinicId: number, record: { timeZone: string | null }, change: () => void): void {
    const { timeZone } = record;
    change();
    if (record.timeZone !== timeZone) this.clinicIds.add(clinicId);
  }

  /** Publishes the collected changes. Must be called after the records have been written. */
  async publish(): Promise<void> {
    for (const clinicId of this.clinicIds) await this.changes.publish({ clinicId });
    this.clinicIds.clear();
  }
}
