import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';
import type { RecipientKind, ReminderRule } from './reminder-rule.js';
import type { DeathReason, ReminderStatus, WithdrawalReason } from './reminder-status.js';
import type { SkipReason } from './delivery-decision.js';
import type { HistoryEntry } from './reminder-history.js';

/** The columns of a reminder; what it does is in `Reminder`. */
export const ReminderSchema = defineEntity({
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
    /** When it is handed over: when it is due, or earlier or later where quiet hours or a failed attempt say so. */
    sendAt: columns.instant(),
    /** The start of the Session that it leads up to: from then on it is not sent. null: it does not lead up to it. */
    notAfter: columns.instant().nullable().strictNullable(),
    /** The message that it goes out with; the same for every attempt, so that a receiver can drop a repeat. */
    messageId: p.uuid().nullable().strictNullable(),
    status: p.text().$type<ReminderStatus>(),
    reason: p.text().$type<WithdrawalReason | SkipReason | DeathReason>().nullable().strictNullable(),
    createdAt: columns.instant(),
    queuedAt: columns.instant().nullable().strictNullable(),
    settledAt: columns.instant().nullable().strictNullable(),
    redrivenAt: columns.instant().nullable().strictNullable(),
    story: p.json<HistoryEntry[]>(),
  },
});
