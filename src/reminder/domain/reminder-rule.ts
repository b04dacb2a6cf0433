import { dueAfterCreation, dueAroundStart, dueInWeek } from './timing/due-time.js';
import { ANY_TIME, type RecipientHours } from './timing/send-time.js';

export type RecipientKind = 'CLIENT' | 'CARE_PROVIDER';
export type Recipient = { kind: RecipientKind; id: number };

/** Why a reminder exists: which rule, and with which value. */
export type ReminderRule =
  | { kind: 'REMIND_DAYS'; days: number }
  | { kind: 'AROUND_START'; offset: string }
  /** On a day of the plan week (1 is that of the Session), at a local time in the Client's zone. */
  | { kind: 'HOMEWORK'; bookId: number; reminderDay: number; time: string; timeZone: string };

/** What a reminder needs to know of its Session. */
export type ReminderSubject = {
  sessionId: number;
  clinicId: number;
  clientId: number;
  caregiverId: number;
  /** The day that it is planned for, on the wall clock of `timeZone`: the first of its plan week. */
  plannedDate: Temporal.PlainDate;
  timeZone: string;
  startsAt: Temporal.Instant;
  standing: 'AHEAD' | 'PAUSED' | 'OVER' | 'CANCELLED';
  /** Homework of the Session that the Client has done. */
  doneHomeworkIds: ReadonlySet<number>;
};

/**
 * When a reminder is due.
 *
 * @param createdAt when it was planned
 */
export function dueOf(rule: ReminderRule, subject: ReminderSubject, createdAt: Temporal.Instant): Temporal.Instant {
  switch (rule.kind) {
    case 'REMIND_DAYS':
      // Its anchor is the creation of the Session, which never moves (docs/decisions.md, "`reminders`").
      return dueAfterCreation(createdAt, rule.days, subject.timeZone);
    case 'AROUND_START':
      return dueAroundStart(subject.startsAt, rule.offset, subject.timeZone);
    case 'HOMEWORK':
      return dueInWeek(subject.plannedDate, rule.reminderDay, rule.time, rule.timeZone);
  }
}

/** The rule where its recipient lives now; the same object where that changes nothing. */
export function inZoneOf(rule: ReminderRule, hours: RecipientHours): ReminderRule {
  const isElsewhere = rule.kind === 'HOMEWORK' && hours !== ANY_TIME && rule.timeZone !== hours.timeZone;
  return isElsewhere ? { ...rule, timeZone: hours.timeZone } : rule;
}

/** The start of the Session that a reminder leads up to: from then on it is not sent. null: it does not lead up to it. */
export function notAfterOf(
  rule: ReminderRule,
  { startsAt }: Pick<ReminderSubject, 'startsAt'>,
  dueAt: Temporal.Instant,
): Temporal.Instant | null {
  if (rule.kind === 'HOMEWORK') return null;
  return dueAt.epochMilliseconds < startsAt.epochMilliseconds ? startsAt : null;
}

/** What two reminders of one Session and recipient have in common that are for the same thing, whatever their zone. */
export function ruleKey(rule: ReminderRule): string {
  const { kind } = rule;
  if (kind === 'HOMEWORK') return `${kind} ${rule.bookId} ${rule.reminderDay} ${rule.time}`;
  return kind === 'REMIND_DAYS' ? `${kind} ${rule.days}` : `${kind} ${rule.offset}`;
}

/** As far as the database keeps an instant: an offset may say less than a millisecond. */
export function isSameInstant(one: Temporal.Instant | null, other: Temporal.Instant | null): boolean {
  return one?.epochMilliseconds === other?.epochMilliseconds;
}

export function recipientOf({ clientId, caregiverId }: ReminderSubject, kind: RecipientKind): number {
  return kind === 'CLIENT' ? clientId : caregiverId;
}
