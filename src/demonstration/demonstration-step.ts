import type { CareProviderPrincipal, ClientPrincipal, ClinicPrincipal, Principal } from '../shared/access/index.js';

/** Something that a caller did in the past of the demonstration. */
export type DemonstrationStep = {
  at: Temporal.Instant;
  caller: Principal;
  /** The operation for the audit entry: method and path as in the OpenAPI document. */
  operation: string;
  /** Whether reminders are withdrawn, so that those that are due by then must have their outcomes. */
  endsReminders?: boolean;
  /** Calls a service. Returns the records of the audit entry. */
  run: () => Promise<readonly string[]>;
};

const subject = 'demonstration';
export const clinic = (clinicId: number): ClinicPrincipal => ({ role: 'CLINIC', subject, clinicId });
export const careProvider = (caregiverId: number): CareProviderPrincipal => {
  return { role: 'CARE_PROVIDER', subject, caregiverId };
};
export const client = (clientId: number): ClientPrincipal => ({ role: 'CLIENT', subject, clientId });
export const ADMIN: Principal = { role: 'ADMIN', subject };

/** Dates of the demonstration: days from the first Monday after today, on the wall clock of one zone. */
export class DemonstrationCalendar {
  private readonly today: Temporal.PlainDate;
  private readonly nextMonday: Temporal.PlainDate;

  constructor(
    readonly timeZone: string,
    now: Temporal.Instant,
  ) {
    this.today = now.toZonedDateTimeISO(timeZone).toPlainDate();
    this.nextMonday = this.today.add({ days: 8 - this.today.dayOfWeek });
  }

  /** The date in the form of a request. From 8 days before the next Monday on, it is in the past. */
  date(days: number): string {
    return toSlashDate(this.nextMonday.add({ days }));
  }

  dateFromToday(days: number): string {
    return toSlashDate(this.today.add({ days }));
  }

  at(days: number, time: string): Temporal.Instant {
    return this.nextMonday.add({ days }).toZonedDateTime({ timeZone: this.timeZone, plainTime: time }).toInstant();
  }
}

function toSlashDate(date: Temporal.PlainDate): string {
  return date.toString().replaceAll('-', '/');
}
