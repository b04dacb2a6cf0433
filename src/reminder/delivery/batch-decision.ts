import { latestOf, nextAttempt, wasTried } from '../domain/attempts.js';
import { deferred, skipped, notSent, undecidable } from './delivery-outcome.js';
import type { Addressee } from './recipient-profiles.js';
import type { DeliveryOutcome } from './outcome-writer.js';
import { isAfterDueDay, type DueDay } from '../planning/session-lookup.js';
import type { Reminder } from '../domain/reminder.entity.js';
import { decideDelivery } from '../domain/delivery-decision.js';

/** What is to become of reminders whose time has come. */
export type Decisions = {
  toSend: Reminder[];
  /** Ids of messages that say that they are late. */
  late: Set<string>;
  /** When each of the reminders to send, by its id, was to be sent. */
  expectedAt: Map<number, Temporal.Instant>;
  /** What becomes of the others. */
  outcomes: DeliveryOutcome[];
};

/**
 * Decides of each reminder whether it is sent now, by what its recipient wishes.
 *
 * @param dueDays until when homework is to be done, by the ids of Sessions
 */
export function decideAll(
  reminders: readonly Reminder[],
  addressees: ReadonlyMap<string, Addressee>,
  dueDays: ReadonlyMap<number, DueDay>,
  maxLateness: Temporal.Duration,
  now: Temporal.Instant,
): Decisions {
  const decisions: Decisions = { toSend: [], late: new Set(), expectedAt: new Map(), outcomes: [] };
  for (const reminder of reminders) {
    try {
      const dueDay = reminder.kind === 'HOMEWORK' ? dueDays.get(reminder.sessionId) : undefined;
      decide(reminder, addressees.get(keyOf(reminder)), { dueDay, maxLateness, now }, decisions);
    } catch (error) {
      // Of one recipient, whatever it is: the others of the batch are not to wait for it.
      decisions.outcomes.push(undecided(reminder, maxLateness, now, error));
    }
  }
  return decisions;
}

function decide(
  reminder: Reminder,
  addressee: Addressee | undefined,
  { dueDay, maxLateness, now }: { dueDay: DueDay | undefined; maxLateness: Temporal.Duration; now: Temporal.Instant },
  { toSend, late, expectedAt, outcomes }: Decisions,
): void {
  const { id, story, messageId, dueAt, redrivenAt } = reminder;
  if (addressee === undefined) return void outcomes.push(skipped(id, 'RECIPIENT_GONE'));
  const sending = decideDelivery(reminder, addressee.preference, maxLateness, now);
  if (sending.what === 'DEFER') outcomes.push(deferred(id, sending.until, sending.reason));
  else if (sending.what === 'SKIP') outcomes.push(notSent(id, sending.reason, wasTried(story)));
  else if (dueDay !== undefined && redrivenAt === null && isAfterDueDay(dueAt, dueDay))
    outcomes.push(skipped(id, 'AFTER_DUE'));
  else {
    toSend.push(reminder);
    expectedAt.set(id, sending.expectedAt);
    if (sending.late) late.add(messageId!);
  }
}

/** What becomes of a reminder that cannot be decided or written. */
export function undecided(
  reminder: Pick<Reminder, 'id' | 'story' | 'dueAt' | 'notAfter' | 'redrivenAt'>,
  maxLateness: Temporal.Duration,
  now: Temporal.Instant,
  error: unknown,
): DeliveryOutcome {
  const latest = latestOf(reminder, maxLateness);
  return undecidable({ id: reminder.id, attempt: nextAttempt(reminder.story), latest }, now, error);
}

export function keyOf({ recipientKind, recipientId }: Reminder): string {
  return `${recipientKind} ${recipientId}`;
}
