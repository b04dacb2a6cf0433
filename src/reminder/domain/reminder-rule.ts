import { isTimeZone } from '../../shared/time/zone.js';
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
type ErasureNoticeRule = { kind: 'SESSION_ERASED'; startsAt: string };

/**
 * The subject of a rule's reminder, whether it is a notice, from which recipients cannot opt out, and whether a
 * reminder that was due before the start of the Session is not sent after it.
 */
type PlannedReminder = { kind: ReminderKind; isNotice: boolean; endsAtStart: boolean };

const SESSION_REMINDER: PlannedReminder = { kind: 'SESSION', isNotice: false, endsAtStart: true };
const REMINDERS_BY_RULE: Readonly<Record<string, PlannedReminder>> = {
  REMIND_DAYS: SESSION_REMINDER,
  AROUND_START: SESSION_REMINDER,
  HOMEWORK: { kind: 'HOMEWORK', isNotice: false, endsAtStart: false },
  SESSION_ERASED: { kind: 'SESSION', isNotice: true, endsAtStart: false },
} satisfies Record<ReminderRule['kind'], PlannedReminder>;

/** A rule that only a later release knows counts as one about the Session, so that it does not stop other reminders. */
function getPlannedReminder({ kind }: ReminderRule): PlannedReminder {
  return REMINDERS_BY_RULE[kind] ?? SESSION_REMINDER;
}

export function getReminderKind(rule: ReminderRule): ReminderKind {
  return getPlannedReminder(rule).kind;
}

/** Whether recipients cannot opt out of the reminder of a rule. */
export function isNoticeRule(rule: ReminderRule): boolean {
  return getPlannedReminder(rule).isNotice;
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
      return computeHomeworkReminderDue(
        session.plannedDate,
        rule.reminderDay,
        rule.time,
        getRuleTimeZone(rule, session),
      );
    case 'SESSION_ERASED':
      return createdAt;
  }
}

/**
 * The time zone of a rule: the Client's for homework, otherwise that of the Session. The latter also if only another
 * release knows the Client's.
 */
export function getRuleTimeZone(rule: ReminderRule, session: Pick<SessionSnapshot, 'timeZone'>): string {
  return 'timeZone' in rule && isTimeZone(rule.timeZone) ? rule.timeZone : session.timeZone;
}

/** Returns the rule with the recipient's current time zone, or the same object if the time zone has not changed. */
export function withTimeZone(rule: ReminderRule, settings: RecipientTimeSettings): ReminderRule {
  const hasOtherZone = 'timeZone' in rule && settings !== UNREAD_TIME_SETTINGS && rule.timeZone !== settings.timeZone;
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
  if (!getPlannedReminder(rule).endsAtStart) return null;
  return dueAt.epochMilliseconds < startsAt.epochMilliseconds ? startsAt : null;
}

/**
 * Whether a rule now yields times other than the stored ones, for example because of newer time zone data. A reminder
 * whose time zone the data lacks keeps its times.
 */
export function hasOutdatedTimes(
  {
    rule,
    createdAt,
    ...stored
  }: { rule: ReminderRule; createdAt: Temporal.Instant; dueAt: Temporal.Instant; notAfter: Temporal.Instant | null },
  session: SessionSnapshot,
): boolean {
  if ('timeZone' in rule && !isTimeZone(rule.timeZone)) return false;
  const dueAt = computeDueTime(rule, session, createdAt);
  const notAfter = computeNotAfter(rule, session, dueAt);
  return !isSameMillisecond(dueAt, stored.dueAt) || !isSameMillisecond(notAfter, stored.notAfter);
}

/** Why a reminder must not be sent in the current state of its Session and homework; null if it may be sent. */
export function findWithdrawalReason(
  { rule, homeworkId }: { rule: ReminderRule; homeworkId: number | null },
  { phase, startsAt, doneHomeworkIds }: SessionSnapshot,
  dueAt: Temporal.Instant,
): WithdrawalReason | null {
  if (phase === 'CANCELLED') return 'SESSION_CANCELLED';
  if (phase === 'PAUSED') return 'SERIES_PAUSED';
  if (getReminderKind(rule) === 'HOMEWORK') {
    if (homeworkId === null) return 'HOMEWORK_REMOVED';
    return doneHomeworkIds.has(homeworkId) ? 'HOMEWORK_DONE' : null;
  }
  const isAfterStart = Temporal.Instant.compare(dueAt, startsAt) > 0;
  return phase === 'OVER' && !isAfterStart ? 'SESSION_OVER' : null;
}

/**
 * Returns the reason of a withdrawal if it lasts until the Session moves. A new time zone of the recipient alone does not
 * move the Session.
 */
export function findLastingReason(
  reminder: { reason: string | null; rule: ReminderRule; createdAt: Temporal.Instant; dueAt: Temporal.Instant },
  session: SessionSnapshot,
): 'ALREADY_SENT' | 'RECIPIENT_LEFT' | null {
  const { reason, rule, createdAt, dueAt } = reminder;
  if (reason !== 'ALREADY_SENT' && reason !== 'RECIPIENT_LEFT') return null;
  return isSameMillisecond(computeDueTime(rule, session, createdAt), dueAt) ? reason : null;
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
  switch (rule.kind) {
    case 'REMIND_DAYS':
      return `${rule.kind} ${rule.days}`;
    case 'AROUND_START':
      return `${rule.kind} ${rule.offset}`;
    case 'HOMEWORK':
      return `${rule.kind} ${rule.bookId} ${rule.reminderDay} ${rule.time}`;
    case 'SESSION_ERASED':
      return rule.kind;
  }
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
