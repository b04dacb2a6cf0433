import { computeDeliveryDeadline, getNextAttemptNumber, wasAttempted } from '../domain/attempts.js';
import { decideDelivery } from '../domain/delivery-decision.js';
import type { Reminder } from '../domain/reminder.entity.js';
import { isAfterDueDay, type HomeworkDueDay } from '../domain/session-data.js';
import {
  toDeferredOutcome,
  toFailedOrDeadLetterOutcome,
  toSkippedOutcome,
  toSkippedOrDeadLetterOutcome,
  type DeliveryOutcome,
} from '../outcome/delivery-outcome.js';
import { separateFromSentMessages } from '../outcome/message-separation.js';
import type { RecipientProfile } from './recipient-profiles.js';

/** The decisions for a batch of due reminders. */
export type BatchDecisions = {
  toSend: Reminder[];
  /** IDs of the messages whose text says that they are late. */
  lateMessageIds: Set<string>;
  /** When each reminder in `toSend` should have been sent, by reminder ID. */
  expectedAt: Map<number, Temporal.Instant>;
  /** The outcomes of the reminders that are not sent. */
  outcomes: DeliveryOutcome[];
};

/**
 * Decides for each reminder in a batch whether to send it now. An error affects only the reminder that causes it.
 *
 * @param recipients recipient profiles by recipient key, without inactive recipients
 * @param dueDays due days of homework, by Session ID
 */
export function decideBatch(
  reminders: readonly Reminder[],
  recipients: ReadonlyMap<string, RecipientProfile>,
  dueDays: ReadonlyMap<number, HomeworkDueDay>,
  maxLateness: Temporal.Duration,
  now: Temporal.Instant,
): BatchDecisions {
  const decision: BatchDecisions = { toSend: [], lateMessageIds: new Set(), expectedAt: new Map(), outcomes: [] };
  for (const reminder of reminders) {
    try {
      const dueDay = reminder.kind === 'HOMEWORK' ? dueDays.get(reminder.subjectSessionId) : undefined;
      addDecision(reminder, recipients.get(reminder.recipientKey), { dueDay, maxLateness, now }, decision);
    } catch (error) {
      decision.outcomes.push(toFailureOutcome(reminder, maxLateness, now, error));
    }
  }
  const messageIds = new Map(reminders.map(({ id, messageId }) => [id, messageId!]));
  const sent = new Set(decision.toSend.map(({ messageId }) => messageId!));
  return { ...decision, outcomes: separateFromSentMessages(decision.outcomes, messageIds, sent) };
}

function addDecision(
  reminder: Reminder,
  recipient: RecipientProfile | undefined,
  context: { dueDay: HomeworkDueDay | undefined; maxLateness: Temporal.Duration; now: Temporal.Instant },
  { toSend, lateMessageIds, expectedAt, outcomes }: BatchDecisions,
): void {
  const { id, messageId } = reminder;
  const { dueDay, maxLateness, now } = context;
  if (recipient === undefined) return void outcomes.push(toSkippedOutcome(id, 'RECIPIENT_GONE'));
  const decision = decideDelivery(reminder, recipient.preference, maxLateness, now);
  if (decision.action === 'DEFER') outcomes.push(toDeferredOutcome(id, decision.until, decision.reason));
  else if (decision.action === 'SKIP')
    outcomes.push(toSkippedOrDeadLetterOutcome(id, decision.reason, wasAttempted(reminder)));
  else if (dueDay !== undefined && isAfterDueDay(reminder, dueDay)) outcomes.push(toSkippedOutcome(id, 'AFTER_DUE'));
  else {
    toSend.push(reminder);
    expectedAt.set(id, decision.expectedAt);
    if (decision.isLate) lateMessageIds.add(messageId!);
  }
}

/** The outcome of a reminder whose decision or message caused an error. */
export function toFailureOutcome(
  reminder: Pick<Reminder, 'id' | 'history' | 'recipientKind' | 'dueAt' | 'notAfter' | 'redrivenAt'>,
  maxLateness: Temporal.Duration,
  now: Temporal.Instant,
  error: unknown,
): DeliveryOutcome {
  const deadline = computeDeliveryDeadline(reminder, maxLateness);
  return toFailedOrDeadLetterOutcome(
    { id: reminder.id, attempt: getNextAttemptNumber(reminder), deadline },
    now,
    error,
  );
}
