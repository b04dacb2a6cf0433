import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { runForEachClinicWithClaims } from '../../scheduler/index.js';
import { Environment } from '../../shared/config/env.js';
import { forkForActor, formatInstant } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Tracing } from '../../shared/tracing/index.js';
import {
  toAlreadySentOutcome,
  toDeferredOutcome,
  toFailedOrDeadLetterOutcome,
  toSkippedOutcome,
  toSkippedOrDeadLetterOutcome,
  type DeliveryOutcome,
} from '../outcome/delivery-outcome.js';
import { DeliveryPacer } from '../delivery/delivery-pacer.js';
import { OutcomeWriter } from '../outcome/outcome-writer.js';
import { RecipientProfiles, type RecipientProfile } from '../delivery/recipient-profiles.js';
import { computeDeliveryDeadline, getNextAttemptNumber, wasAttempted } from '../domain/attempts.js';
import { decideDelivery } from '../domain/delivery-decision.js';
import { ReminderMetrics } from '../metrics/reminder.metrics.js';
import { ReminderQueue, type MessageToQueue } from '../queue/reminder.queue.js';
import {
  claimDueReminders,
  toAttemptedReminder,
  toDueReminder,
  wasSentForDueTime,
  getRecipientKey,
  type ClaimedReminder,
  type ClaimLimits,
} from './due-reminder-claim.js';

/** The limits while no requests are served. Larger ones would leave too little work for other instances. */
const FULL_CLAIM: ClaimLimits = { rows: 500, scan: 5_000, reminders: 2_000 };
/** The limits while requests are served. The scan must reach beyond another instance's full claim. */
const PACED_CLAIM: ClaimLimits = { rows: 25, scan: 2_000, reminders: 200 };

/**
 * Finds due reminders and moves them into the queue, with one message for all due reminders of a recipient. Reminders
 * are not queued earlier, because each waiting job slows down the queue, whereas a partial index keeps the search for
 * due reminders fast.
 */
@Injectable()
export class ReminderDispatcher {
  constructor(
    private readonly em: EntityManager,
    private readonly queue: ReminderQueue,
    private readonly recipientProfiles: RecipientProfiles,
    private readonly outcomeWriter: OutcomeWriter,
    private readonly environment: Environment,
    private readonly clock: Clock,
    private readonly metrics: ReminderMetrics,
    private readonly pace: DeliveryPacer,
    private readonly tracing: Tracing,
  ) {}

  /**
   * Queues all reminders that are due now. Several instances may call this method concurrently.
   *
   * @param progress called after each batch
   * @returns the number of claimed reminders
   */
  dispatchDue(progress: () => void = () => undefined): Promise<number> {
    const condition = sql`status = 'PENDING' and send_at <= ${formatInstant(this.clock.now())}::timestamptz`;
    return runForEachClinicWithClaims(this.em, {
      name: 'reminder dispatch',
      actor: { role: 'REMINDERS' },
      rows: { table: 'reminder', condition },
      work: (clinicId) => this.dispatchAll(clinicId, progress),
    });
  }

  private async dispatchAll(clinicId: number | undefined, progress: () => void): Promise<number> {
    const postponed: string[] = [];
    let total = 0;
    for (;;) {
      const batch = await this.pace.run((isPaced) =>
        this.dispatchBatch(clinicId, isPaced ? PACED_CLAIM : FULL_CLAIM, postponed),
      );
      this.metrics.countDispatch();
      total += batch.claimed;
      progress();
      if (batch.claimed === 0 && batch.postponed.length === 0) return total;
      // Leaves room for other reminders in the next batch.
      postponed.push(...batch.postponed);
      this.queue.fetchNow();
    }
  }

  /** Returns the number of claimed reminders, and the messages that could not be claimed as a whole. */
  private dispatchBatch(
    clinicId: number | undefined,
    limits: ClaimLimits,
    excluded: readonly string[],
  ): Promise<{ claimed: number; postponed: string[] }> {
    return forkForActor(this.em, { role: 'REMINDERS', clinicId }).transactional(async (em) => {
      const now = this.clock.now();
      const { reminders, postponed } = await claimDueReminders(em as SqlEntityManager, now, limits, excluded);
      if (reminders.length === 0) return { claimed: 0, postponed };
      // No span is recorded for a search without results, because there is a search every few seconds.
      const attributes = { 'scheduling.reminders': reminders.length, 'messaging.operation.name': 'send' } as const;
      await this.tracing.run({ name: 'dispatch reminders', kind: 'PRODUCER', attributes }, () =>
        this.queueClaimed(em, reminders, now),
      );
      return { claimed: reminders.length, postponed };
    });
  }

  private async queueClaimed(em: EntityManager, claimed: readonly ClaimedReminder[], now: Temporal.Instant) {
    const profiles = await this.recipientProfiles.find(
      claimed.map((row) => ({ kind: row.recipient_kind, id: Number(row.recipient_id) })),
    );
    const newMessageIds = new Map<string, string>();
    const outcomes = claimed.map((row) => this.toOutcome(row, profiles.get(getRecipientKey(row)), newMessageIds, now));
    await this.outcomeWriter.write('PENDING', outcomes, now);
    await this.queue.insert(em, groupByMessage(claimed, outcomes, profiles));
  }

  /** An error counts as a failed attempt for this reminder and does not affect the rest of the batch. */
  private toOutcome(
    row: ClaimedReminder,
    recipient: RecipientProfile | undefined,
    newMessageIds: Map<string, string>,
    now: Temporal.Instant,
  ): DeliveryOutcome {
    try {
      return this.decide(row, recipient, newMessageIds, now);
    } catch (error) {
      const deadline = computeDeliveryDeadline(toDueReminder(row), this.environment.reminderMaxLateness);
      const attempt = getNextAttemptNumber(toAttemptedReminder(row));
      return toFailedOrDeadLetterOutcome({ id: Number(row.id), attempt, deadline }, now, error);
    }
  }

  /** @param newMessageIds the IDs of this batch's new messages, by recipient key; an entry is added if necessary */
  private decide(
    row: ClaimedReminder,
    recipient: RecipientProfile | undefined,
    newMessageIds: Map<string, string>,
    now: Temporal.Instant,
  ): DeliveryOutcome {
    const id = Number(row.id);
    if (wasSentForDueTime(row)) return toAlreadySentOutcome(id);
    if (recipient === undefined) return toSkippedOutcome(id, 'RECIPIENT_GONE');
    const { reminderMaxLateness } = this.environment;
    const decision = decideDelivery(toDueReminder(row), recipient.preference, reminderMaxLateness, now);
    if (decision.action === 'SKIP') {
      const wasTried = row.message_id !== null && wasAttempted(toAttemptedReminder(row));
      return toSkippedOrDeadLetterOutcome(id, decision.reason, wasTried);
    }
    if (decision.action === 'DEFER') return toDeferredOutcome(id, decision.until, decision.reason);
    // A reminder that already has a message keeps it in every attempt.
    const messageId = row.message_id ?? newMessageIds.get(getRecipientKey(row)) ?? randomUUID();
    if (row.message_id === null) newMessageIds.set(getRecipientKey(row), messageId);
    return { id, status: 'QUEUED', messageId, historyEntry: { what: 'QUEUED', messageId } };
  }
}

/** @param outcomes the outcomes of the claimed reminders, in the same order */
function groupByMessage(
  claimed: readonly ClaimedReminder[],
  outcomes: readonly DeliveryOutcome[],
  profiles: ReadonlyMap<string, RecipientProfile>,
): MessageToQueue[] {
  const messages = new Map<string, MessageToQueue & { traceparents: Set<string> }>();
  for (const [index, row] of claimed.entries()) {
    const { status, messageId } = outcomes[index]!;
    if (status !== 'QUEUED' || messageId === undefined) continue;
    const channel = profiles.get(getRecipientKey(row))?.preference.channels[0];
    const message = messages.get(messageId) ?? { messageId, channel, traceparents: new Set() };
    if (row.traceparent !== null) message.traceparents.add(row.traceparent);
    messages.set(messageId, message);
  }
  return [...messages.values()];
}
