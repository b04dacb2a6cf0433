import { ConflictError } from '../../shared/errors/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import { isBefore } from '../../shared/time/index.js';
import { awaitResult, keepsSendTime, leaveMessage } from './message-in-flight.js';
import { EMPTY_HISTORY, findSentDueTimes, type HistoryDetails, type HistoryEntry } from './reminder-history.js';
import { toRecipientKey, type RecipientKind, type ReminderKind } from './reminder-kinds.js';
import {
  computeDueTime,
  computeNotAfter,
  findLastingReason,
  findWithdrawalReason,
  getRecipientId,
  getReminderKind,
  isNoticeRule,
  isSameMillisecond,
  toDeduplicationKey,
  withTimeZone,
  type ReminderRule,
} from './reminder-rule.js';
import { canStillBeSent, isRedrivable, type SkipReason, type WithdrawalReason } from './reminder-status.js';
import { ReminderSchema } from './reminder.schema.js';
import type { SessionSnapshot } from './session-data.js';
import { UNREAD_TIME_SETTINGS, type RecipientTimeSettings } from './timing/quiet-hours.js';
import { isPastWhenPlanned, planSendTime, type PlannedSendTime } from './timing/send-time.js';
import { findEndBeforeWithdrawal, isMissed, type RescheduleChange } from './withdrawal.js';

const PENDING_STATE = { status: 'PENDING', reason: null, queuedAt: null, settledAt: null } as const;
/**
 * A reminder that is sent after all becomes part of a new message. Its former message may have been sent without it, and
 * receivers would drop another one with the same ID.
 */
const NEW_MESSAGE = { messageId: null } as const;

/** A reminder for one recipient, planned from one rule. Its row is the only source of truth; queue jobs refer to it. */
export class Reminder extends ReminderSchema.class {
  /**
   * @param settings the recipient's time settings
   * @param dueAt the result of `computeDueTime`, if the caller already has it
   */
  constructor(
    session: SessionSnapshot,
    recipientKind: RecipientKind,
    rule: ReminderRule,
    now: Temporal.Instant,
    homeworkId: number | null = null,
    settings = UNREAD_TIME_SETTINGS,
    dueAt = computeDueTime(rule, session, now),
  ) {
    super();
    [this.clinicId, this.caregiverId] = [session.clinicId, session.caregiverId];
    [this.sessionId, this.erasedSessionId] = [session.sessionId, null];
    this.homeworkId = homeworkId;
    [this.recipientKind, this.recipientId] = [recipientKind, getRecipientId(session, recipientKind)];
    this.rule = rule;
    this.createdAt = now;
    [this.dueAt, this.sendAt] = [dueAt, dueAt];
    this.notAfter = computeNotAfter(rule, session, dueAt);
    [this.messageId, this.channel, this.redrivenAt] = [null, null, null];
    this.history = EMPTY_HISTORY;
    this.status = 'PENDING';
    [this.reason, this.queuedAt, this.settledAt] = [null, null, null];
    this.planSendTimeOrSkip(settings, now);
  }

  /** The ID of the Session that the reminder is about, which no longer exists if this is a notice of an erasure. */
  get subjectSessionId(): number {
    return (this.sessionId ?? this.erasedSessionId)!;
  }

  /** Whether this is a notice, from which recipients cannot opt out. */
  get isNotice(): boolean {
    return isNoticeRule(this.rule);
  }

  /** Whether the reminder can still be sent, and therefore follows changes of its Session. */
  get canStillBeSent(): boolean {
    return canStillBeSent(this.status, this.reason);
  }

  /** A Session has at most one unsent reminder with the same key. */
  get deduplicationKey(): string {
    return toDeduplicationKey(this, this.recipientKind);
  }

  get recipientKey(): string {
    return toRecipientKey({ kind: this.recipientKind, id: this.recipientId });
  }

  /** The due times for which the reminder was sent, in epoch milliseconds. */
  get sentDueTimes(): ReadonlySet<number> {
    return new Set(findSentDueTimes(this));
  }

  get kind(): ReminderKind {
    return getReminderKind(this.rule);
  }

  /**
   * Adapts the reminder to a change to its Session: its times, its recipient, and whether it is withdrawn.
   *
   * @param settings the recipient's time settings
   * @param sentDueTimes due times, in epoch milliseconds, for which the reminder is not sent again
   * @returns whether the reminder has changed
   */
  reschedule(
    session: SessionSnapshot,
    now: Temporal.Instant,
    settings = UNREAD_TIME_SETTINGS,
    sentDueTimes = this.sentDueTimes,
  ): boolean {
    const { history, recipientId } = this;
    const lastingReason = findLastingReason(this, session);
    // Homework reminders are due in the Client's current time zone. One that was sent keeps its due time.
    const rule = lastingReason === 'ALREADY_SENT' ? this.rule : withTimeZone(this.rule, settings);
    const hasOtherZone = rule !== this.rule;
    this.rule = rule;
    const dueAt = computeDueTime(rule, session, this.createdAt);
    const hasMoved = !isSameMillisecond(dueAt, this.dueAt);
    this.updateParticipants(session, now);
    if (hasMoved) {
      const reason: HistoryDetails = hasOtherZone ? { reason: 'TIME_ZONE' } : {};
      this.appendHistory(now, 'MOVED', { from: formatInstant(this.dueAt), to: formatInstant(dueAt), ...reason });
      [this.dueAt, this.sendAt] = [dueAt, dueAt];
    }
    const notAfter = computeNotAfter(this.rule, session, dueAt);
    const needsNewSendTime = !isSameMillisecond(notAfter, this.notAfter) || this.recipientId !== recipientId;
    if (needsNewSendTime) this.notAfter = notAfter;
    const reason =
      (lastingReason === 'RECIPIENT_LEFT' && this.recipientId === recipientId ? lastingReason : null) ??
      findWithdrawalReason(this, session, dueAt) ??
      (lastingReason === 'ALREADY_SENT' ? lastingReason : null) ??
      this.findTimeRelatedReason(sentDueTimes, { hasMoved, settings, now });
    if (reason !== null) {
      // A skipped reminder keeps its skip reason unless it can still be sent at its present time, or has moved.
      const canBeSent = this.reason === 'QUIET_HOURS' || isRedrivable(this.status, this.reason);
      if (this.status !== 'SKIPPED' || canBeSent || hasMoved) this.withdraw(reason, now);
    } else if (this.status === 'WITHDRAWN' && !hasMoved && !isBefore(now, dueAt)) this.restoreDue(settings, now);
    else if (this.status === 'WITHDRAWN' || hasMoved) this.resetToPending(settings, now);
    else if (needsNewSendTime) this.updateSendTime(settings, now);
    if (needsNewSendTime) Object.assign(this, leaveMessage(this, now));
    // All changes except these two add an entry to the history.
    return this.history !== history || needsNewSendTime || hasOtherZone;
  }

  /**
   * Recomputes `sendAt` after a change to the recipient's quiet hours or time zone. A reminder that has already been
   * queued or redriven keeps its time; quiet hours are checked again when it is sent. So does one that waits for the
   * result of its former message.
   *
   * @returns whether the reminder has changed
   */
  updateSendTime(settings: RecipientTimeSettings, now: Temporal.Instant): boolean {
    const isUntried = this.status === 'PENDING' && this.messageId === null && this.redrivenAt === null;
    const wasSkipped = this.status === 'SKIPPED' && this.reason === 'QUIET_HOURS' && !isPastWhenPlanned(this, now);
    const planned = planSendTime(this, settings, now);
    if (!isUntried && !wasSkipped) return false;
    const isUnchanged = planned.action === 'SKIP' ? wasSkipped : isUntried && keepsSendTime(this, planned.sendAt, now);
    if (isUnchanged) return false;
    const from = formatInstant(this.sendAt);
    Object.assign(this, PENDING_STATE, NEW_MESSAGE);
    if (planned.action === 'SEND' && planned.adjustment === undefined)
      this.appendHistory(now, 'RESCHEDULED', { from, to: formatInstant(planned.sendAt) });
    this.applySendTime(planned, now);
    return true;
  }

  /**
   * Separates the reminder from its homework, which was removed or now has other reminders. An unsent reminder is
   * withdrawn, and one that was sent is not planned again when its Session moves.
   */
  detachFromHomework(now: Temporal.Instant): void {
    if (this.canStillBeSent) this.withdraw('HOMEWORK_REMOVED', now);
    this.homeworkId = null;
  }

  /** Withdraws the reminder because its recipient was deactivated. An earlier withdrawal keeps its reason. */
  withdrawForInactiveRecipient(now: Temporal.Instant): void {
    if (this.status !== 'WITHDRAWN') this.withdraw('RECIPIENT_LEFT', now);
  }

  /**
   * Schedules a dead letter, or a reminder that was skipped because it was too late, to be sent again immediately, in a
   * new message.
   *
   * @throws ConflictError for any other reminder
   */
  redrive(now: Temporal.Instant): void {
    if (!isRedrivable(this.status, this.reason)) {
      const state = this.status === 'SKIPPED' ? `SKIPPED for ${this.reason}` : this.status;
      throw new ConflictError(
        `Only a reminder that is DEAD, or SKIPPED for TOO_LATE, can be sent again; it is ${state}.`,
      );
    }
    Object.assign(this, PENDING_STATE, NEW_MESSAGE, { sendAt: now, redrivenAt: now });
    this.appendHistory(now, 'REDRIVEN');
  }

  private withdraw(reason: WithdrawalReason, now: Temporal.Instant): void {
    if (this.status !== 'WITHDRAWN' || this.reason !== reason) this.appendHistory(now, 'WITHDRAWN', { reason });
    [this.status, this.reason] = ['WITHDRAWN', reason];
    [this.queuedAt, this.settledAt] = [null, null];
    // `messageId` is kept, so that the reminder becomes SENT if its message is being sent at this moment.
  }

  private resetToPending(settings: RecipientTimeSettings, now: Temporal.Instant): void {
    if (this.status === 'WITHDRAWN') this.appendHistory(now, 'RESTORED');
    const former = { messageId: this.messageId };
    // An earlier redrive was for the time before: lateness and the start of the Session count from the new time.
    Object.assign(this, PENDING_STATE, NEW_MESSAGE, { sendAt: this.dueAt, redrivenAt: null });
    this.planSendTimeOrSkip(settings, now);
    this.sendAt = awaitResult(former, this, now);
  }

  /** Restores a reminder that was already due when it was withdrawn, or that waits for the end of quiet hours. */
  private restoreDue(settings: RecipientTimeSettings, now: Temporal.Instant): void {
    const [former, end] = [{ messageId: this.messageId }, findEndBeforeWithdrawal(this.history)];
    this.appendHistory(now, 'RESTORED');
    if (end !== undefined) Object.assign(this, end);
    else {
      Object.assign(this, PENDING_STATE, NEW_MESSAGE);
      this.applySendTime(planSendTime(this, settings, now), now);
      this.sendAt = awaitResult(former, this, now);
    }
  }

  private planSendTimeOrSkip(settings: RecipientTimeSettings, now: Temporal.Instant): void {
    if (isPastWhenPlanned(this, now)) this.skip('PAST_WHEN_PLANNED', now);
    else this.applySendTime(planSendTime(this, settings, now), now);
  }

  private applySendTime(planned: PlannedSendTime, now: Temporal.Instant): void {
    if (planned.action === 'SKIP') {
      this.skip(planned.reason, now);
      return;
    }
    this.sendAt = planned.sendAt;
    if (planned.adjustment === undefined) return;
    this.appendHistory(now, planned.adjustment, { reason: 'QUIET_HOURS', until: formatInstant(planned.sendAt) });
  }

  private skip(reason: SkipReason, now: Temporal.Instant): void {
    [this.status, this.reason, this.settledAt] = ['SKIPPED', reason, now];
    this.appendHistory(now, 'SKIPPED', { reason });
  }

  /**
   * Adopts the participants of the Session. If the recipient changes, the reminder is removed from the message to the
   * previous recipient, and a queued reminder becomes PENDING again.
   */
  private updateParticipants(session: SessionSnapshot, now: Temporal.Instant): void {
    const { caregiverId, recipientId } = this;
    if (caregiverId !== session.caregiverId) {
      const details = { fromCareProviderId: caregiverId, toCareProviderId: session.caregiverId };
      this.appendHistory(now, 'HANDED_OVER', details);
      this.caregiverId = session.caregiverId;
    }
    this.recipientId = getRecipientId(session, this.recipientKind);
    if (recipientId === this.recipientId) return;
    this.messageId = null;
    if (this.status === 'QUEUED') Object.assign(this, PENDING_STATE);
  }

  private appendHistory(now: Temporal.Instant, what: HistoryEntry['what'], details: HistoryDetails = {}): void {
    this.history = [...this.history, { at: formatInstant(now), what, ...details }];
  }

  private findTimeRelatedReason(sentDueTimes: ReadonlySet<number>, change: RescheduleChange): WithdrawalReason | null {
    if (sentDueTimes.has(this.dueAt.epochMilliseconds)) return 'ALREADY_SENT';
    return this.status === 'WITHDRAWN' && isMissed(this, change) ? 'MISSED' : null;
  }
}
ReminderSchema.setClass(Reminder);
