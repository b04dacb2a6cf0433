import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';
import { dueAfterCreation, dueAroundStart } from './due.js';

export type RecipientKind = 'CLIENT' | 'CARE_PROVIDER';
export type Recipient = { kind: RecipientKind; id: number };

/** Why a reminder exists: which rule, and with which value. */
export type ReminderRule = { kind: 'REMIND_DAYS'; days: number } | { kind: 'AROUND_START'; offset: string };

/** PENDING: waits for its time. QUEUED: handed to the queue. SENT: a channel took it. DEAD: all attempts failed. */
export type ReminderStatus = 'PENDING' | 'QUEUED' | 'SENT' | 'DEAD';

/** What a reminder needs to know of its Session. */
export type ReminderSubject = {
  sessionId: number;
  clinicId: number;
  startsAt: Temporal.Instant;
  timeZone: string;
};

const ReminderSchema = defineEntity({
  name: 'Reminder',
  tableName: 'reminder',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    sessionId: columns.reference(),
    recipientKind: p.text().$type<RecipientKind>(),
    recipientId: columns.reference(),
    rule: p.json<ReminderRule>(),
    dueAt: columns.instant(),
    status: p.text().$type<ReminderStatus>(),
    createdAt: columns.instant(),
    queuedAt: columns.instant().nullable().strictNullable(),
    settledAt: columns.instant().nullable().strictNullable(),
  },
});

/** One reminder of one recipient: what, for whom, due when, in which state, and why. The row is the truth. */
export class Reminder extends ReminderSchema.class {
  constructor(subject: ReminderSubject, recipient: Recipient, rule: ReminderRule, now: Temporal.Instant) {
    super();
    this.clinicId = subject.clinicId;
    this.sessionId = subject.sessionId;
    this.recipientKind = recipient.kind;
    this.recipientId = recipient.id;
    this.rule = rule;
    this.dueAt =
      rule.kind === 'REMIND_DAYS'
        ? dueAfterCreation(now, rule.days, subject.timeZone)
        : dueAroundStart(subject.startsAt, rule.offset, subject.timeZone);
    this.status = 'PENDING';
    this.createdAt = now;
    this.queuedAt = null;
    this.settledAt = null;
  }
}
ReminderSchema.setClass(Reminder);
