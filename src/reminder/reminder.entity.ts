import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';
import { dueAfterCreation, dueAroundStart, dueInWeek } from './due.js';

export type RecipientKind = 'CLIENT' | 'CARE_PROVIDER';
export type Recipient = { kind: RecipientKind; id: number };

/** Why a reminder exists: which rule, and with which value. */
export type ReminderRule =
  | { kind: 'REMIND_DAYS'; days: number }
  | { kind: 'AROUND_START'; offset: string }
  /** On a day of the plan week (1 is that of the Session), at a local time in the Client's zone. */
  | { kind: 'HOMEWORK'; bookId: number; reminderDay: number; time: string; timeZone: string };

/**
 * PENDING: waits for its time. QUEUED: handed to the queue. SENT: a channel took it. DEAD: all attempts
 * failed. WITHDRAWN: not to be sent as things stand, for the `reason` beside it.
 */
export type ReminderStatus = 'PENDING' | 'QUEUED' | 'SENT' | 'DEAD' | 'WITHDRAWN';

/** Why a reminder is withdrawn. MISSED: it came back when its time had passed. */
export type WithdrawalReason =
  | 'SESSION_CANCELLED'
  | 'SESSION_OVER'
  | 'SERIES_PAUSED'
  | 'HOMEWORK_DONE'
  | 'HOMEWORK_REMOVED'
  | 'RECIPIENT_LEFT'
  | 'MISSED';

/** What a reminder needs to know of its Session. */
export type ReminderSubject = {
  sessionId: number;
  clinicId: number;
  clientId: number;
  caregiverId: number;
  /** As planned, on the wall clock of `timeZone`. */
  planned: Temporal.PlainDateTime;
  timeZone: string;
  startsAt: Temporal.Instant;
  standing: 'AHEAD' | 'PAUSED' | 'OVER' | 'CANCELLED';
  /** Homework of the Session that the Client has done. */
  doneHomeworkIds: ReadonlySet<number>;
};

const ReminderSchema = defineEntity({
  name: 'Reminder',
  tableName: 'reminder',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    sessionId: columns.reference(),
    /** The homework that it reminds of; null: it reminds of the Session. */
    homeworkId: columns.reference().nullable().strictNullable(),
    recipientKind: p.text().$type<RecipientKind>(),
    recipientId: columns.reference(),
    rule: p.json<ReminderRule>(),
    dueAt: columns.instant(),
    status: p.text().$type<ReminderStatus>(),
    reason: p.text().$type<WithdrawalReason>().nullable().strictNullable(),
    createdAt: columns.instant(),
    queuedAt: columns.instant().nullable().strictNullable(),
    settledAt: columns.instant().nullable().strictNullable(),
  },
});

/** One reminder of one recipient: what, for whom, due when, in which state, and why. The row is the truth. */
export class Reminder extends ReminderSchema.class {
  constructor(
    subject: ReminderSubject,
    recipientKind: RecipientKind,
    rule: ReminderRule,
    now: Temporal.Instant,
    homeworkId: number | null = null,
  ) {
    super();
    this.clinicId = subject.clinicId;
    this.sessionId = subject.sessionId;
    this.homeworkId = homeworkId;
    this.recipientKind = recipientKind;
    this.recipientId = recipientOf(subject, recipientKind);
    this.rule = rule;
    this.createdAt = now;
    this.dueAt = this.dueFor(subject);
    this.status = 'PENDING';
    this.reason = null;
    this.queuedAt = null;
    this.settledAt = null;
  }

  get isUnsent(): boolean {
    return this.status !== 'SENT' && this.status !== 'DEAD';
  }

  /** What only one unsent reminder of a Session can be: for this recipient, by this rule. */
  get identity(): string {
    return JSON.stringify([this.recipientKind, this.homeworkId, Object.entries(this.rule).sort()]);
  }

  /** Goes along with its Session: the time, the recipient, and whether it is to be sent at all. */
  follow(subject: ReminderSubject, now: Temporal.Instant): void {
    const dueAt = this.dueFor(subject);
    this.recipientId = recipientOf(subject, this.recipientKind);
    const reason = this.reasonAgainst(subject, dueAt);
    const isMissed = this.status === 'WITHDRAWN' && Temporal.Instant.compare(dueAt, now) <= 0;
    if (reason !== null || isMissed) this.withdraw(reason ?? 'MISSED');
    else if (this.status !== 'QUEUED' || !dueAt.equals(this.dueAt)) this.await();
    this.dueAt = dueAt;
  }

  /** After it was sent, the Session has moved: the same reminder for the new time, where that is still to come. */
  renewedFor(subject: ReminderSubject, now: Temporal.Instant): Reminder | null {
    const dueAt = this.dueFor(subject);
    if (dueAt.equals(this.dueAt) || Temporal.Instant.compare(dueAt, now) <= 0) return null;
    if (this.reasonAgainst(subject, dueAt) !== null) return null;
    return new Reminder(subject, this.recipientKind, this.rule, now, this.homeworkId);
  }

  private withdraw(reason: WithdrawalReason): void {
    this.status = 'WITHDRAWN';
    this.reason = reason;
    this.queuedAt = null;
  }

  /** Its homework does not ask for it any more. */
  takeBack(): void {
    this.withdraw('HOMEWORK_REMOVED');
    this.homeworkId = null;
  }

  private await(): void {
    this.status = 'PENDING';
    this.reason = null;
    this.queuedAt = null;
  }

  private dueFor(subject: ReminderSubject): Temporal.Instant {
    const { rule } = this;
    switch (rule.kind) {
      case 'REMIND_DAYS':
        // Its anchor is the creation of the Session, which never moves (decisions, "Extension `reminders`").
        return dueAfterCreation(this.createdAt, rule.days, subject.timeZone);
      case 'AROUND_START':
        return dueAroundStart(subject.startsAt, rule.offset, subject.timeZone);
      case 'HOMEWORK':
        return dueInWeek(subject.planned.toPlainDate(), rule.reminderDay, rule.time, rule.timeZone);
    }
  }

  private reasonAgainst(subject: ReminderSubject, dueAt: Temporal.Instant): WithdrawalReason | null {
    if (subject.standing === 'CANCELLED') return 'SESSION_CANCELLED';
    if (subject.standing === 'PAUSED') return 'SERIES_PAUSED';
    if (this.rule.kind === 'HOMEWORK') {
      if (this.homeworkId === null) return 'HOMEWORK_REMOVED';
      return subject.doneHomeworkIds.has(this.homeworkId) ? 'HOMEWORK_DONE' : null;
    }
    const isAfterStart = this.rule.kind === 'AROUND_START' && Temporal.Instant.compare(dueAt, subject.startsAt) > 0;
    return subject.standing === 'OVER' && !isAfterStart ? 'SESSION_OVER' : null;
  }
}
ReminderSchema.setClass(Reminder);

function recipientOf({ clientId, caregiverId }: ReminderSubject, kind: RecipientKind): number {
  return kind === 'CLIENT' ? clientId : caregiverId;
}
