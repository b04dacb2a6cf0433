/* The data of a Session that reminders need. The session module provides it. */

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
  /** AHEAD: scheduled, also when the start is in the past. OVER: completed or no-show. */
  phase: 'AHEAD' | 'PAUSED' | 'OVER' | 'CANCELLED';
  /** Ids of the homework of this Session that the Client has completed. */
  doneHomeworkIds: ReadonlySet<number>;
};

/** The data of a Session that a message may contain. Titles appear only if the Clinic allows it. */
export type SessionMessageDetails = {
  sessionId: number;
  title: string;
  description: string | null;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  /** From 1; grows with each change of the Session. The calendar attachment derives its sequence number from it. */
  version: number;
};

/** The day on which homework of a Session is due: the day of the next Session of the series, in the Session's zone. */
export type HomeworkDueDay = { sessionId: number; day: Temporal.PlainDate; timeZone: string };

/** Whether a homework reminder is due after the day on which the homework itself is due. */
export function isAfterDueDay(reminderDueAt: Temporal.Instant, dueDay: Omit<HomeworkDueDay, 'sessionId'>): boolean {
  const reminderDay = reminderDueAt.toZonedDateTimeISO(dueDay.timeZone).toPlainDate();
  return Temporal.PlainDate.compare(reminderDay, dueDay.day) > 0;
}
