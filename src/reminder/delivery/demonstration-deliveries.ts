import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Environment } from '../../shared/config/env.js';
import { bulkUpdate, FOR_BULK_UPDATE, formatInstant } from '../../shared/persistence/index.js';
import { computeDeliveryDeadline, computeRetryTime } from '../domain/attempts.js';
import { decideDelivery } from '../domain/delivery-decision.js';
import type { HistoryEvent } from '../domain/reminder-history.js';
import { Reminder } from '../domain/reminder.entity.js';
import {
  toDeadLetterOutcome,
  toDeferredOutcome,
  toFailedOutcome,
  toSkippedOutcome,
  type DeliveryOutcome,
} from '../outcome/delivery-outcome.js';
import { RecipientProfiles, type RecipientProfile } from './recipient-profiles.js';

/** How the delivery of a reminder of the demonstration ends: after how many failures, and whether as a dead letter. */
export type DemonstrationOutcome = { failures: number; isUndeliverable: boolean };
type ChooseOutcome = (reminder: Readonly<Reminder>) => DemonstrationOutcome;

/** Simulated times from the due time to the dispatch, and from the dispatch to the outcome. */
const DISPATCH_DELAY = Temporal.Duration.from({ seconds: 2 });
const DELIVERY_DELAY = Temporal.Duration.from({ seconds: 1 });
const CHANNEL = 'LOG';

/**
 * Records deliveries in the past for the reminders of the demonstration. No channel is called, and no job is queued.
 * Runs in the caller's transaction, which must have the rights of the table owner.
 */
@Injectable()
export class DemonstrationDeliveries {
  constructor(
    private readonly em: EntityManager,
    private readonly recipientProfiles: RecipientProfiles,
    private readonly environment: Environment,
  ) {}

  /** Records the outcome of each reminder that is due before `end`. */
  async recordUntil(end: Temporal.Instant, chooseOutcome: ChooseOutcome): Promise<void> {
    const where = { status: 'PENDING' as const, sendAt: { $lte: end } };
    const due = await this.em.find(Reminder, where, { orderBy: { sendAt: 'asc', id: 'asc' }, ...FOR_BULK_UPDATE });
    if (due.length === 0) return;
    const recipients = due.map(({ recipientKind: kind, recipientId: id }) => ({ kind, id }));
    const profiles = await this.recipientProfiles.find(recipients);
    // Reminders of one recipient that are due at the same time form one message.
    const messages = Map.groupBy(due, ({ recipientKey, sendAt }) => `${recipientKey} ${sendAt.epochMilliseconds}`);
    for (const reminders of messages.values()) {
      const messageId = randomUUID();
      for (const reminder of reminders)
        this.deliver(reminder, messageId, profiles.get(reminder.recipientKey)!, chooseOutcome(reminder));
    }
    await bulkUpdate(this.em, Reminder, due);
  }

  private deliver(
    reminder: Reminder,
    messageId: string,
    { preference }: RecipientProfile,
    { failures, isUndeliverable }: DemonstrationOutcome,
  ): void {
    const { id } = reminder;
    let now = reminder.sendAt.add(DISPATCH_DELAY);
    const decision = decideDelivery(reminder, preference, this.environment.reminderMaxLateness, now);
    if (decision.action !== 'SEND') {
      const isSkipped = decision.action === 'SKIP';
      const outcome = isSkipped
        ? toSkippedOutcome(id, decision.reason)
        : toDeferredOutcome(id, decision.until, decision.reason);
      settle(reminder, outcome, now);
      return;
    }
    const deadline = computeDeliveryDeadline(reminder, this.environment.reminderMaxLateness);
    const historyEntry = { what: 'QUEUED' as const, messageId };
    for (let attempt = 1; attempt <= failures; attempt += 1) {
      settle(reminder, { id, status: 'QUEUED', messageId, historyEntry }, now);
      now = now.add(DELIVERY_DELAY);
      const until = computeRetryTime(attempt, now, deadline);
      settle(reminder, toFailedOutcome(id, until, { attempt, channel: CHANNEL }, new Error('no answer')), now);
      now = until;
    }
    settle(reminder, { id, status: 'QUEUED', messageId, historyEntry }, now);
    const end = now.add(DELIVERY_DELAY);
    if (isUndeliverable) settle(reminder, toDeadLetterOutcome(id, 'UNDELIVERABLE'), end);
    else settle(reminder, { status: 'SENT', historyEntry: toSentEntry(reminder) }, end);
  }
}

function toSentEntry({ kind, notAfter }: Reminder): HistoryEvent {
  const told = kind === 'SESSION' && notAfter !== null ? { startsAt: formatInstant(notAfter) } : {};
  return { what: 'SENT', channel: CHANNEL, late: false, ...told };
}

type Settlement = Omit<Partial<DeliveryOutcome>, 'status'> & { status: Reminder['status'] };

/** Changes a reminder in the same way as the SQL of `OutcomeWriter`. */
function settle(
  reminder: Reminder,
  { status, reason, sendAt, messageId, historyEntry }: Settlement,
  now: Temporal.Instant,
): void {
  reminder.status = status;
  reminder.reason = reason ?? null;
  reminder.sendAt = sendAt ?? reminder.sendAt;
  reminder.messageId = messageId ?? reminder.messageId;
  if (status === 'QUEUED') reminder.queuedAt = now;
  reminder.settledAt = status === 'SENT' || status === 'DEAD' || status === 'SKIPPED' ? now : null;
  if (historyEntry !== undefined) reminder.history = [...reminder.history, { at: formatInstant(now), ...historyEntry }];
}
