import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import type { HistoryEntry } from './reminder-history.js';
import type { RecipientKind } from './reminder-kinds.js';
import type { ReminderRule } from './reminder-rule.js';
import type { DeadLetterReason, ReminderStatus, SkipReason, WithdrawalReason } from './reminder-status.js';

/** The columns of the table `reminder`; the class `Reminder` adds the behaviour. */
export const ReminderSchema = defineEntity({
  name: 'Reminder',
  tableName: 'reminder',
  properties: {
    id: columnTypes.id(),
    clinicId: columnTypes.reference(),
    /** Null in the notice about a Session that an erasure deletes. */
    sessionId: columnTypes.reference().nullable().strictNullable(),
    /** The Session that a notice is about. Null otherwise. `Reminder.subjectSessionId` is the ID of either. */
    erasedSessionId: columnTypes.reference().nullable().strictNullable(),
    /**
     * The homework that the reminder is about. Null if it is about the Session, or if its homework was removed or now has
     * other reminders.
     */
    homeworkId: columnTypes.reference().nullable().strictNullable(),
    /** The Care Provider of the Session, who may read the reminder. */
    caregiverId: columnTypes.reference(),
    recipientKind: p.text().$type<RecipientKind>(),
    recipientId: columnTypes.reference(),
    rule: p.json<ReminderRule>(),
    dueAt: columnTypes.instant(),
    /** When the reminder is queued: `dueAt`, unless quiet hours or a retry have changed it. */
    sendAt: columnTypes.instant(),
    /** The start of the Session, after which the reminder is not sent, or null if there is no such limit. */
    notAfter: columnTypes.instant().nullable().strictNullable(),
    /** The message that contains the reminder; the same in every attempt, so receivers can drop duplicates. */
    messageId: p.uuid().nullable().strictNullable(),
    /** The channel of the last attempt, or null if there was none. A trigger sets it from the history. */
    channel: p.text().nullable().strictNullable(),
    status: p.text().$type<ReminderStatus>(),
    reason: p.text().$type<WithdrawalReason | SkipReason | DeadLetterReason>().nullable().strictNullable(),
    createdAt: columnTypes.instant(),
    queuedAt: columnTypes.instant().nullable().strictNullable(),
    /** When the reminder became SENT, SKIPPED or DEAD. */
    settledAt: columnTypes.instant().nullable().strictNullable(),
    redrivenAt: columnTypes.instant().nullable().strictNullable(),
    /** Oldest entry first. The column keeps its original name. */
    history: p.json<HistoryEntry[]>().fieldName('story'),
  },
});
