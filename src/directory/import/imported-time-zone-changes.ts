import type { TimeZoneEvents } from '../events/time-zone-events.js';

/** The time zones that an import changes. Those of people may be thousands: they are announced as one of their Clinic. */
export class ImportedTimeZoneChanges {
  private readonly clinicIds = new Set<number>();

  constructor(private readonly changes: TimeZoneEvents) {}

  changeRecord(clinicId: number, record: { timeZone: string | null }, change: () => void): void {
    const { timeZone } = record;
    change();
    if (record.timeZone !== timeZone) this.clinicIds.add(clinicId);
  }

  /** Once the records of some lines are written. */
  async publish(): Promise<void> {
    for (const clinicId of this.clinicIds) await this.changes.publish({ clinicId });
    this.clinicIds.clear();
  }
}
