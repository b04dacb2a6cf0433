import type { RecipientKind, ReminderKind } from './reminder-kinds.js';
import type { WithdrawalReason } from './reminder-status.js';
import type { SessionRecipients, SessionSnapshot } from './session-data.js';
import { computeDueAfterCreation, computeDueAroundStart, computeHomeworkReminderDue } from './timing/due-time.js';
import { UNREAD_TIME_SETTINGS, type RecipientTimeSettings } from './timing/quiet-hours.js';

/** The rule from which a reminder is planned. It is stored with the reminder. */
export type ReminderRule =
  | { kind: 'REMIND_DAYS'; days: number }
  | { kind: 'AROUND_START'; offset: string }
  /**
   * `reminderDay`: a day of the plan week, where 1 is the day of the Session. `time`: HH:mm in the Client's time zone.
   */
  | { kind: 'HOMEWORK'; bookId: number; reminderDay: number; time: string; timeZone: string }
  /** Not a reminder, but a notice that a Session was cancelled by the erasure of its Client, which also deletes it. */
  | ErasureNoticeRule;

/** `startsAt`: the start of the Session in ISO 8601. The Session itself is deleted before the notice is sent. */
export type ErasureNoticeRule = { kind: 'SESSION_ERASED'; startsAt: string };

type PlannedReminder = { kind: ReminderKind; isNotice: boolean };

/** What the reminder of each rule is about, and whether it is a notice, from which recipients cannot opt out. */
const REMINDERS_BY_RULE: Readonly<Record<string, PlannedReminder>> = {
  REMIND_DAYS: { kind: 'SESSION', isNotice: false },
  AROUND_START: { kind: 'SESSION', isNotice: false },
  HOMEWORK: { kind: 'HOMEWORK', isNotice: false },
  SESSION_ERASED: { kind: 'SESSION', isNotice: true },
} satisfies Record<ReminderRule['kind'], PlannedReminder>;

/** A rule that only a later release knows counts as one about the Session, so that it does not stop other reminders. */
export function getReminderKind(rule: ReminderRule): ReminderKind {
  return REMINDERS_BY_RULE[rule.kind]?.kind ?? 'SESSION';
}

/** Whether recipients cannot opt out of the reminder of a rule. */
export function isNoticeRule(rule: ReminderRule): boolean {
  return REMINDERS_BY_RULE[rule.kind]?.isNotice ?? false;
}

/** Computes when a reminder is due. @param createdAt when the reminder was planned */
export function computeDueTime(
  rule: ReminderRule,
  session: Pick<SessionSnapshot, 'startsAt' | 'timeZone' | 'plannedDate'>,
  createdAt: Temporal.Instant,
): Temporal.Instant {
  switch (rule.kind) {
    case 'REMIND_DAYS':
      // Counts from the creation of the Session, which never changes (docs/decisions.md, "`reminders`").
      return computeDueAfterCreation(createdAt, rule.days, session.timeZone);
    case 'AROUND_START':
      return computeDueAroundStart(session.startsAt, rule.offset, session.timeZone);
    case 'HOMEWORK':
      return computeHomeworkReminderDue(session.plannedDate, rule.reminderDay, rule.time, rule.timeZone);
    case 'SESSION_ERASED':
      return createdAt;
  }
}

/** Returns the rule with the recipient's current time zone, or the same object if the time zone has not changed. */
export function withTimeZone(rule: ReminderRule, settings: RecipientTimeSettings): ReminderRule {
  const hasOtherZone =
    rule.kind === 'HOMEWORK' && settings !== UNREAD_TIME_SETTINGS && rule.timeZone !== settings.timeZone;
  return hasOtherZone ? { ...rule, timeZone: settings.timeZone } : rule;
}

/** Whether a reminder is due in the future in the recipient's current time zone. */
export function isDueLaterInCurrentZone(
  { rule, createdAt }: { rule: ReminderRule; createdAt: Temporal.Instant },
  session: Pick<SessionSnapshot, 'startsAt' | 'timeZone' | 'plannedDate'>,
  settings: RecipientTimeSettings,
  now: Temporal.Instant,
): boolean {
  return Temporal.Instant.compare(computeDueTime(withTimeZone(rule, settings), session, createdAt), now) > 0;
}

/**
 * The start of the Session, after which a Session reminder that was due earlier is not sent, or null if there is no
 * such limit.
 */
export function computeNotAfter(
  rule: ReminderRule,
  { startsAt }: Pick<SessionSnapshot, 'startsAt'>,
  dueAt: Temporal.Instant,
): Temporal.Instant | null {
  if (rule.kind === 'HOMEWORK' || rule.kind === 'SESSION_ERASED') return null;
  return dueAt.epochMilliseconds < startsAt.epochMilliseconds ? startsAt : null;
}

/** Why a reminder must not be sent in the current state of its Session and homework; null if it may be sent. */
export function findWithdrawalReason(
  { rule, homeworkId }: { rule: ReminderRule; homeworkId: number | null },
  { phase, startsAt, doneHomeworkIds }: SessionSnapshot,
  dueAt: Temporal.Instant,
): WithdrawalReason | null {
  if (phase === 'CANCELLED') return 'SESSION_CANCELLED';
  if (phase === 'PAUSED') return 'SERIES_PAUSED';
  if (rule.kind === 'HOMEWORK') {
    if (homeworkId === null) return 'HOMEWORK_REMOVED';
    return doneHomeworkIds.has(homeworkId) ? 'HOMEWORK_DONE' : null;
  }
  const isAfterStart = Temporal.Instant.compare(dueAt, startsAt) > 0;
  return phase === 'OVER' && !isAfterStart ? 'SESSION_OVER' : null;
}

/** Identifies the reminders that a rule has for one Session and a recipient of the given kind. */
export function toDeduplicationKey(
  { rule, homeworkId }: { rule: ReminderRule; homeworkId: number | null },
  recipientKind: RecipientKind,
): string {
  return `${recipientKind} ${homeworkId} ${toRuleKey(rule)}`;
}

/** Identifies a rule among those for one Session and recipient. The time zone is left out, because it can change. */
export function toRuleKey(rule: ReminderRule): string {
  const { kind } = rule;
  if (kind === 'HOMEWORK') return `${kind} ${rule.bookId} ${rule.reminderDay} ${rule.time}`;
  if (kind === 'SESSION_ERASED') return kind;
  return kind === 'REMIND_DAYS' ? `${kind} ${rule.days}` : `${kind} ${rule.offset}`;
}

/**
 * Compares milliseconds, because the database does not store the smaller units that the offset of a reminder rule can
 * contain.
 */
export function isSameMillisecond(one: Temporal.Instant | null, other: Temporal.Instant | null): boolean {
  return one?.epochMilliseconds === other?.epochMilliseconds;
}

/** Returns the ID of the person who gets the reminder: the Session's Client or Care Provider. */
export function getRecipientId({ clientId, caregiverId }: SessionRecipients, kind: RecipientKind): number {
  return kind === 'CLIENT' ? clientId : caregiverId;
}
