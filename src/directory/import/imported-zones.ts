import type { ZoneChanges } from '../zone-changes.js';

/** The time zones that an import of people changes. There may be thousands: they are announced as one of the Clinic. */
export class ImportedZones {
  private hasChanged = false;

  constructor(
    private readonly changes: ZoneChanges,
    private readonly clinicId: number,
  ) {}

  watch(person: { timeZone: string | null }, change: () => void): void {
    const { timeZone } = person;
    change();
    this.hasChanged ||= person.timeZone !== timeZone;
  }

  /** Once the records of some lines are written. */
  async announce(): Promise<void> {
    if (this.hasChanged) await this.changes.announce({ clinicId: this.clinicId });
    this.hasChanged = false;
  }
}
