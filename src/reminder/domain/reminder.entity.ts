import { ConflictError } from '../../shared/errors/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import {
  ANY_TIME,
  isPastWhenPlanned,
  planSending,
  type PlannedSending,
  type RecipientHours,
} from './timing/send-time.js';
import {
  dueOf,
  isSameInstant,
  notAfterOf,
  inZoneOf,
  recipientOf,
  ruleKey,
  type RecipientKind,
  type ReminderRule,
  type ReminderSubject,
} from './reminder-rule.js';
import { REDRIVABLE, SKIPPED_BY_TIME, UNSENT, reasonAgainst, type WithdrawalReason } from './reminder-status.js';
import { ReminderSchema } from './reminder.schema.js';
import type { ReminderKind, SkipReason } from './delivery-decision.js';
import { sentForOf, type HistoryEntry } from './reminder-history.js';

/** What all new reminders have to tell: one array, so that it is seen to be the same. */
const UNTOLD = Object.freeze<HistoryEntry[]>([]) as HistoryEntry[];

/** The state of a reminder that waits for its time. */
const WAITS = { status: 'PENDING', reason: null, queuedAt: null, settledAt: null } as const;

/** One reminder of one recipient: what, for whom, due when, in which state, and why. The row is the truth. */
export class Reminder extends ReminderSchema.class {
  /** @param dueAt as `dueOf` says, where it is known already */
  constructor(
    subject: ReminderSubject,
    recipientKind: RecipientKind,
    rule: ReminderRule,
    now: Temporal.Instant,
    homeworkId: number | null = null,
    hours = ANY_TIME,
    dueAt = dueOf(rule, subject, now),
  ) {
    super();
    this.clinicId = subject.clinicId;
    this.sessionId = subject.sessionId;
    this.homeworkId = homeworkId;
    this.caregiverId = subject.caregiverId;
    this.recipientKind = recipientKind;
    this.recipientId = recipientOf(subject, recipientKind);
    this.rule = rule;
    this.createdAt = now;
    this.dueAt = dueAt;
    this.sendAt = dueAt;
    this.notAfter = notAfterOf(rule, subject, dueAt);
    this.messageId = null;
    this.redrivenAt = null;
    this.story = UNTOLD;
    this.status = 'PENDING';
    this.reason = null;
    this.queuedAt = null;
    this.settledAt = null;
    this.plan(hours, now);
  }

  /** Also one that can be sent again: so it goes along with its Session. */
  get isUnsent(): boolean {
    return (
      UNSENT.includes(this.status) || (this.status === 'SKIPPED' && SKIPPED_BY_TIME.includes(this.reason as SkipReason))
    );
  }

  private get isRedrivable(): boolean {
    return this.status === 'DEAD' || (this.status === 'SKIPPED' && this.reason === REDRIVABLE.SKIPPED.reason);
  }

  /** What only one unsent reminder of a Session can be: for this recipient, by this rule. */
  get identity(): string {
    return `${this.recipientKind} ${this.homeworkId} ${ruleKey(this.rule)}`;
  }

  /** The due times that it was sent for, in milliseconds. */
  get sentFor(): ReadonlySet<number> {
    return new Set(sentForOf(this));
  }

  get kind(): ReminderKind {
    return this.rule.kind === 'HOMEWORK' ? 'HOMEWORK' : 'SESSION';
  }

  /**
   * Goes along with its Session: the time, the recipient, and whether it is to be sent at all.
   *
   * @param hours those of its recipient
   * @param sentFor due times, in milliseconds, that the same was sent for: it is not sent again for them
   * @returns whether anything of it has changed
   */
  reschedule(subject: ReminderSubject, now: Temporal.Instant, hours = ANY_TIME, sentFor = this.sentFor): boolean {
    const { story, recipientId } = this;
    const hasOtherZone = this.moveTo(hours);
    const dueAt = dueOf(this.rule, subject, this.createdAt);
    const hasMoved = !isSameInstant(dueAt, this.dueAt);
    this.handOver(subject, now);
    if (hasMoved) {
      const why: Record<string, string> = hasOtherZone ? { reason: 'TIME_ZONE' } : {};
      this.tell(now, 'MOVED', { from: formatInstant(this.dueAt), to: formatInstant(dueAt), ...why });
      this.dueAt = dueAt;
      this.sendAt = dueAt;
    }
    const notAfter = notAfterOf(this.rule, subject, dueAt);
    const hasOtherHours = !isSameInstant(notAfter, this.notAfter) || this.recipientId !== recipientId;
    if (hasOtherHours) this.notAfter = notAfter;
    const reason = reasonAgainst(this, subject, dueAt) ?? this.reasonOfTime(sentFor, now);
    if (reason !== null) {
      // Why something was skipped stays readable, as long as a skip is what it would be again.
      if (this.status !== 'SKIPPED' || this.isRedrivable || hasMoved) this.withdraw(reason, now);
    } else if (this.status === 'WITHDRAWN' || hasMoved) this.await(hours, now);
    else if (hasOtherHours) this.replan(hours, now);
    // Whatever else happens to a reminder, its story tells.
    return this.story !== story || hasOtherHours || hasOtherZone;
  }

  /** Whether its rule gives other times than the stored ones, as newer time zone data can. */
  hasOtherTimes(subject: ReminderSubject): boolean {
    const dueAt = dueOf(this.rule, subject, this.createdAt);
    return !isSameInstant(dueAt, this.dueAt) || !isSameInstant(notAfterOf(this.rule, subject, dueAt), this.notAfter);
  }

  /** After it was sent, the Session has moved: the same reminder for the new time, where that is still to come. */
  renewedFor(
    subject: ReminderSubject,
    now: Temporal.Instant,
    hours = ANY_TIME,
    sentFor = this.sentFor,
  ): Reminder | null {
    const dueAt = dueOf(this.rule, subject, this.createdAt);
    if (isSameInstant(dueAt, this.dueAt) || Temporal.Instant.compare(dueAt, now) <= 0) return null;
    if (sentFor.has(dueAt.epochMilliseconds) || reasonAgainst(this, subject, dueAt) !== null) return null;
    return new Reminder(subject, this.recipientKind, inZoneOf(this.rule, hours), now, this.homeworkId, hours);
  }

  /**
   * Works out again when it is sent, as its recipient has other quiet hours or another zone. What a channel was asked
   * to take already, or was asked for again, stays: whether it is quiet is looked at when it is sent, too.
   *
   * @returns whether anything of it has changed
   */
  replan(hours: RecipientHours, now: Temporal.Instant): boolean {
    const isUntried = this.status === 'PENDING' && this.messageId === null && this.redrivenAt === null;
    const wasSkipped = this.status === 'SKIPPED' && this.reason === 'QUIET_HOURS' && !isPastWhenPlanned(this, now);
    const planned = planSending(this, hours, now);
    if (!isUntried && !wasSkipped) return false;
    if (planned.what === 'SKIP' ? wasSkipped : isUntried && isSameInstant(planned.at, this.sendAt)) return false;
    const from = formatInstant(this.sendAt);
    Object.assign(this, WAITS);
    if (planned.what === 'SEND' && planned.why === undefined)
      this.tell(now, 'RESCHEDULED', { from, to: formatInstant(planned.at) });
    this.schedule(planned, now);
    return true;
  }

  /** Its homework does not ask for it any more. */
  cancel(now: Temporal.Instant): void {
    this.withdraw('HOMEWORK_REMOVED', now);
    this.homeworkId = null;
  }

  /** Whom it is for has left. */
  withdrawFromRecipient(now: Temporal.Instant): void {
    if (this.status !== 'WITHDRAWN') this.withdraw('RECIPIENT_LEFT', now);
  }

  /** A dead letter, or what was skipped as too late, is to be sent after all. */
  redrive(now: Temporal.Instant): void {
    if (!this.isRedrivable) {
      const state = this.status === 'SKIPPED' ? `SKIPPED for ${this.reason}` : this.status;
      throw new ConflictError(
        `Only a reminder that is DEAD, or SKIPPED for TOO_LATE, can be sent again; it is ${state}.`,
      );
    }
    Object.assign(this, WAITS);
    this.sendAt = now;
    this.redrivenAt = now;
    this.tell(now, 'REDRIVEN');
  }

  private withdraw(reason: WithdrawalReason, now: Temporal.Instant): void {
    if (this.status !== 'WITHDRAWN' || this.reason !== reason) this.tell(now, 'WITHDRAWN', { reason });
    this.status = 'WITHDRAWN';
    this.reason = reason;
    this.queuedAt = null;
    this.settledAt = null;
    // The message stays: should it be on its way at this moment, the reminder was sent after all.
  }

  private await(hours: RecipientHours, now: Temporal.Instant): void {
    if (this.status === 'WITHDRAWN') this.tell(now, 'RESTORED');
    Object.assign(this, WAITS, { messageId: null, sendAt: this.dueAt });
    this.plan(hours, now);
  }

  /** Works out for the first time when it is sent, and whether at all. */
  private plan(hours: RecipientHours, now: Temporal.Instant): void {
    if (isPastWhenPlanned(this, now)) this.skip('PAST_WHEN_PLANNED', now);
    else this.schedule(planSending(this, hours, now), now);
  }

  private schedule(planned: PlannedSending, now: Temporal.Instant): void {
    if (planned.what === 'SKIP') this.skip(planned.reason, now);
    else {
      this.sendAt = planned.at;
      const until = formatInstant(planned.at);
      if (planned.why !== undefined) this.tell(now, planned.why, { reason: 'QUIET_HOURS', until });
    }
  }

  private skip(reason: SkipReason, now: Temporal.Instant): void {
    this.status = 'SKIPPED';
    this.reason = reason;
    this.settledAt = now;
    this.tell(now, 'SKIPPED', { reason });
  }

  /** Homework is reminded of in the Client's zone as it is now. */
  private moveTo(hours: RecipientHours): boolean {
    const rule = inZoneOf(this.rule, hours);
    const hasOtherZone = rule !== this.rule;
    this.rule = rule;
    return hasOtherZone;
  }

  /** Another Care Provider has the Session. What was on its way to the one before is not theirs. */
  private handOver(subject: ReminderSubject, now: Temporal.Instant): void {
    const { caregiverId, recipientId } = this;
    if (caregiverId !== subject.caregiverId) {
      this.tell(now, 'HANDED_OVER', { fromCareProviderId: caregiverId, toCareProviderId: subject.caregiverId });
      this.caregiverId = subject.caregiverId;
    }
    this.recipientId = recipientOf(subject, this.recipientKind);
    if (recipientId === this.recipientId || this.status === 'SKIPPED') return;
    this.messageId = null;
    if (this.status === 'QUEUED') Object.assign(this, WAITS);
  }

  private tell(now: Temporal.Instant, what: HistoryEntry['what'], details: Record<string, string | number> = {}): void {
    this.story = [...this.story, { at: formatInstant(now), what, ...details }];
  }

  private reasonOfTime(sentFor: ReadonlySet<number>, now: Temporal.Instant): WithdrawalReason | null {
    if (sentFor.has(this.dueAt.epochMilliseconds)) return 'ALREADY_SENT';
    return this.status === 'WITHDRAWN' && Temporal.Instant.compare(this.dueAt, now) <= 0 ? 'MISSED' : null;
  }
}
ReminderSchema.setClass(Reminder);
