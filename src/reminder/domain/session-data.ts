import { toLocalDate } from '../../shared/time/zone.js';

/* The Session data that reminders need, provided by the session module. */

/** The data of a Session from which its reminders are planned. */
export type SessionSnapshot = {
  sessionId: number;
  clinicId: number;
  clientId: number;
  caregiverId: number;
  /** The planned day on the wall clock of `timeZone`. It is day 1 of the plan week. */
  plannedDate: Temporal.PlainDate;
  timeZone: string;
  startsAt: Temporal.Instant;
  /** AHEAD: scheduled, even if the start is in the past. OVER: completed or no-show. */
  phase: 'AHEAD' | 'PAUSED' | 'OVER' | 'CANCELLED';
  /** IDs of this Session's homework that the Client has completed. */
  doneHomeworkIds: ReadonlySet<number>;
};

/** The people who are reminded of a Session, and their Clinic. */
export type SessionRecipients = Pick<SessionSnapshot, 'clinicId' | 'clientId' | 'caregiverId'>;

/** The Session data that a message may contain. Titles appear only if the Clinic allows them. */
export type SessionMessageDetails = {
  sessionId: number;
  title: string;
  description: string | null;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  /**
   * Starts at 1 and increases with each change to the Session. The sequence number of the calendar attachment is
   * derived from the version.
   */
  version: number;
};

/** The day on which a Session's homework is due: that of the next Session in the series, in the Session's time zone. */
export type HomeworkDueDay = { sessionId: number; day: Temporal.PlainDate; timeZone: string };

/**
 * Whether a homework reminder is not sent because it is due after the day on which the homework itself is due. A redriven
 * reminder is sent.
 */
export function isAfterDueDay(
  { dueAt, redrivenAt }: { dueAt: Temporal.Instant; redrivenAt: Temporal.Instant | null },
  { day, timeZone }: Omit<HomeworkDueDay, 'sessionId'>,
): boolean {
  return redrivenAt === null && Temporal.PlainDate.compare(toLocalDate(dueAt, timeZone), day) > 0;
}
