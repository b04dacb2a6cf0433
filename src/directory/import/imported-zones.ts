import type { ZoneChanges } from '../clinic/zone-changes.js';

/** The time zones that an import changes. Those of people may be thousands: they are announced as one of their Clinic. */
export class ImportedZones {
  private readonly clinicIds = new Set<number>();

  constructor(private readonly changes: ZoneChanges) {}

  watch(clinicId: number, record: { timeZone: string | null }, change: () => void): void {
    const { timeZone } = record;
    change();
    if (record.timeZone !== timeZone) this.clinicIds.add(clinicId);
  }

  /** Once the records of some lines are written. */
  async announce(): Promise<void> {
    for (const clinicId of this.clinicIds) await this.changes.announce({ clinicId });
    this.clinicIds.clear();
  }
}
