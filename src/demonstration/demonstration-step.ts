import type {
  AdminPrincipal,
  CareProviderPrincipal,
  ClientPrincipal,
  ClinicPrincipal,
  Principal,
} from '../shared/access/index.js';

/** An action that a caller has performed at a time in the past. */
export type DemonstrationStep = {
  at: Temporal.Instant;
  caller: Principal;
  /** The operation in the audit entry: its method and path as in the OpenAPI document. */
  operation: string;
  /** Whether the step withdraws reminders. Reminders that are due earlier must be processed before the step. */
  endsReminders?: boolean;
  /** Calls a service, and returns the names of the affected records for the audit entry. */
  run: () => Promise<readonly string[]>;
};

const subject = 'demonstration';
export const createClinicCaller = (clinicId: number): ClinicPrincipal => ({ role: 'CLINIC', subject, clinicId });
export const createCareProviderCaller = (caregiverId: number): CareProviderPrincipal => {
  return { role: 'CARE_PROVIDER', subject, caregiverId };
};
export const createClientCaller = (clientId: number): ClientPrincipal => ({ role: 'CLIENT', subject, clientId });
export const ADMIN_CALLER: AdminPrincipal = { role: 'ADMIN', subject };

/**
 * The time zone that determines today's date for all Clinics. If each Clinic used its own date, the order of the steps
 * could differ.
 */
const ZONE_OF_TODAY = 'Europe/London';

/** Computes dates and times of the demonstration as days from the first Monday after today, in one time zone. */
export class DemonstrationCalendar {
  private readonly today: Temporal.PlainDate;
  private readonly nextMonday: Temporal.PlainDate;

  constructor(
    readonly timeZone: string,
    now: Temporal.Instant,
  ) {
    this.today = now.toZonedDateTimeISO(ZONE_OF_TODAY).toPlainDate();
    this.nextMonday = this.today.add({ days: 8 - this.today.dayOfWeek });
  }

  /** Formats a date as requests contain it. If `days` is -8 or less, the date is always in the past. */
  formatDate(days: number): string {
    return toSlashDate(this.nextMonday.add({ days }));
  }

  formatDateFromToday(days: number): string {
    return toSlashDate(this.today.add({ days }));
  }

  toInstant(days: number, time: string): Temporal.Instant {
    return this.nextMonday.add({ days }).toZonedDateTime({ timeZone: this.timeZone, plainTime: time }).toInstant();
  }
}

function toSlashDate(date: Temporal.PlainDate): string {
  return date.toString().replaceAll('-', '/');
}
