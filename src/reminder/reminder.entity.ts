import { defineEntity, p } from '@mikro-orm/core';
import { ConflictError } from '../shared/errors/index.js';
import { columns, formatInstant } from '../shared/persistence/index.js';
import { dueAfterCreation, dueAroundStart, dueInWeek } from './due.js';
import type { ReminderKind, SkipReason } from './sending.js';

export type RecipientKind = 'CLIENT' | 'CARE_PROVIDER';
export type Recipient = { kind: RecipientKind; id: number };

/** Why a reminder exists: which rule, and with which value. */
export type ReminderRule =
  | { kind: 'REMIND_DAYS'; days: number }
  | { kind: 'AROUND_START'; offset: string }
  /** On a day of the plan week (1 is that of the Session), at a local time in the Client's zone. */
  | { kind: 'HOMEWORK'; bookId: number; reminderDay: number; time: string; timeZone: string };

/** One chapter of what has happened to a reminder, besides that it was planned. */
export type StoryEntry = {
  at: string;
  what:
    'MOVED' | 'WITHDRAWN' | 'RESTORED' | 'DEFERRED' | 'QUEUED' | 'FAILED' | 'SENT' | 'SKIPPED' | 'DEAD' | 'REDRIVEN';
  [detail: string]: string | number | boolean;
};

/**
 * PENDING: waits for its time, or for its next attempt. QUEUED: handed to the queue. SENT: a channel took it. The others
 * have a `reason` beside them. DEAD: not delivered. WITHDRAWN: not to be sent as things stand. SKIPPED: its time came,
 * and it was not sent.
 */
export const REMINDER_STATUSES = ['PENDING', 'QUEUED', 'SENT', 'DEAD', 'WITHDRAWN', 'SKIPPED'] as const;
export type ReminderStatus = (typeof REMINDER_STATUSES)[number];

/** What has not reached its recipient, and still may. So may what was SKIPPED as too late. */
export const UNSENT: readonly ReminderStatus[] = ['PENDING', 'QUEUED', 'DEAD', 'WITHDRAWN'];

/** What can be sent again when somebody asks for it: what has failed, and what was too late. */
export const REDRIVABLE = { DEAD: { status: 'DEAD' }, SKIPPED: { status: 'SKIPPED', reason: 'TOO_LATE' } } as const;

/** Why a reminder is withdrawn. MISSED: it came back when its time had passed. */
export type WithdrawalReason =
  | 'SESSION_CANCELLED'
  | 'SESSION_OVER'
  | 'SERIES_PAUSED'
  | 'HOMEWORK_DONE'
  | 'HOMEWORK_REMOVED'
  | 'RECIPIENT_LEFT'
  | 'MISSED';

/**
 * Why a reminder is a dead letter. LATENESS_REACHED: it was tried until it would have been too late.
 * ATTEMPTS_EXHAUSTED: processes have died again and again while they had it.
 */
export type DeathReason = 'UNDELIVERABLE' | 'LATENESS_REACHED' | 'ATTEMPTS_EXHAUSTED';

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

const ReminderSchema = defineEntity({
  name: 'Reminder',
  tableName: 'reminder',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    sessionId: columns.reference(),
    /** The homework that it reminds of; null: it reminds of the Session. */
    homeworkId: columns.reference().nullable().strictNullable(),
    /** Whose Session it is: they can ask what has become of it. */
    caregiverId: columns.reference(),
    recipientKind: p.text().$type<RecipientKind>(),
    recipientId: columns.reference(),
    rule: p.json<ReminderRule>(),
    dueAt: columns.instant(),
    /** When it is handed over: when it is due, or later where that was deferred. */
    sendAt: columns.instant(),
    /** The message that it goes out with; the same for every attempt, so that a receiver can drop a repeat. */
    messageId: p.uuid().nullable().strictNullable(),
    status: p.text().$type<ReminderStatus>(),
    reason: p.text().$type<WithdrawalReason | SkipReason | DeathReason>().nullable().strictNullable(),
    createdAt: columns.instant(),
    queuedAt: columns.instant().nullable().strictNullable(),
    settledAt: columns.instant().nullable().strictNullable(),
    redrivenAt: columns.instant().nullable().strictNullable(),
    story: p.json<StoryEntry[]>(),
  },
});

/** What all new reminders have to tell: one array, so that it is seen to be the same. */
const UNTOLD = Object.freeze<StoryEntry[]>([]) as StoryEntry[];

/** One reminder of one recipient: what, for whom, due when, in which state, and why. The row is the truth. */
export class Reminder extends ReminderSchema.class {
  /** @param dueAt as `dueOf` says, where it is known already */
  constructor(
    subject: ReminderSubject,
    recipientKind: RecipientKind,
    rule: ReminderRule,
    now: Temporal.Instant,
    homeworkId: number | null = null,
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
    this.messageId = null;
    this.redrivenAt = null;
    this.story = UNTOLD;
    this.status = 'PENDING';
    this.reason = null;
    this.queuedAt = null;
    this.settledAt = null;
  }

  /** Also one that can be sent again: so it goes along with its Session. */
  get isUnsent(): boolean {
    return UNSENT.includes(this.status) || this.isRedrivable;
  }

  private get isRedrivable(): boolean {
    return this.status === 'DEAD' || (this.status === 'SKIPPED' && this.reason === REDRIVABLE.SKIPPED.reason);
  }

  /** What only one unsent reminder of a Session can be: for this recipient, by this rule. */
  get identity(): string {
    return JSON.stringify([this.recipientKind, this.homeworkId, Object.entries(this.rule).sort()]);
  }

  get kind(): ReminderKind {
    return this.rule.kind === 'HOMEWORK' ? 'HOMEWORK' : 'SESSION';
  }

  /**
   * Goes along with its Session: the time, the recipient, and whether it is to be sent at all.
   *
   * @returns whether anything of it has changed
   */
  follow(subject: ReminderSubject, now: Temporal.Instant): boolean {
    const { recipientId, caregiverId, story } = this;
    const dueAt = dueOf(this.rule, subject, this.createdAt);
    const hasMoved = !isSame(dueAt, this.dueAt);
    this.recipientId = recipientOf(subject, this.recipientKind);
    this.caregiverId = subject.caregiverId;
    if (hasMoved) {
      this.tell(now, 'MOVED', { from: formatInstant(this.dueAt), to: formatInstant(dueAt) });
      this.dueAt = dueAt;
      this.sendAt = dueAt;
    }
    const reason = this.reasonAgainst(subject, dueAt);
    const isMissed = this.status === 'WITHDRAWN' && Temporal.Instant.compare(dueAt, now) <= 0;
    if (reason !== null || isMissed) this.withdraw(reason ?? 'MISSED', now);
    else if (this.status === 'WITHDRAWN' || hasMoved) this.await(now);
    // Whatever else happens to a reminder, its story tells.
    return this.story !== story || this.recipientId !== recipientId || this.caregiverId !== caregiverId;
  }

  /** After it was sent, the Session has moved: the same reminder for the new time, where that is still to come. */
  renewedFor(subject: ReminderSubject, now: Temporal.Instant): Reminder | null {
    const dueAt = dueOf(this.rule, subject, this.createdAt);
    if (isSame(dueAt, this.dueAt) || Temporal.Instant.compare(dueAt, now) <= 0) return null;
    if (this.reasonAgainst(subject, dueAt) !== null) return null;
    return new Reminder(subject, this.recipientKind, this.rule, now, this.homeworkId);
  }

  /** Its homework does not ask for it any more. */
  takeBack(now: Temporal.Instant): void {
    this.withdraw('HOMEWORK_REMOVED', now);
    this.homeworkId = null;
  }

  /** Whom it is for has left. */
  letGo(now: Temporal.Instant): void {
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
    this.status = 'PENDING';
    this.sendAt = now;
    this.redrivenAt = now;
    this.reason = null;
    this.queuedAt = null;
    this.settledAt = null;
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

  private await(now: Temporal.Instant): void {
    if (this.status === 'WITHDRAWN') {
      this.sendAt = this.dueAt;
      this.tell(now, 'RESTORED');
    }
    this.status = 'PENDING';
    this.reason = null;
    this.queuedAt = null;
    this.settledAt = null;
    this.messageId = null;
  }

  private tell(now: Temporal.Instant, what: StoryEntry['what'], details: Record<string, string> = {}): void {
    this.story = [...this.story, { at: formatInstant(now), what, ...details }];
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

/** As far as the database keeps an instant: an offset may say less than a millisecond. */
function isSame(one: Temporal.Instant, other: Temporal.Instant): boolean {
  return one.epochMilliseconds === other.epochMilliseconds;
}

function recipientOf({ clientId, caregiverId }: ReminderSubject, kind: RecipientKind): number {
  return kind === 'CLIENT' ? clientId : caregiverId;
}
