import type { Addressee } from './recipients.js';
import type { Outcome } from './reminder-ledger.js';
import { deferred, skipped } from './reminder.dispatcher.js';
import type { Reminder } from './reminder.entity.js';
import { sendingOf } from './sending.js';

/** What is to become of reminders whose time has come. */
export type Decisions = {
  toSend: Reminder[];
  /** Ids of messages that say that they are late. */
  late: ReadonlySet<string>;
  /** When each of the reminders to send, by its id, was to be sent. */
  expectedAt: ReadonlyMap<number, Temporal.Instant>;
  /** What becomes of the others. */
  outcomes: Outcome[];
};

/** Decides of each reminder whether it is sent now, by what its recipient wishes. */
export function decideAll(
  reminders: readonly Reminder[],
  addressees: ReadonlyMap<string, Addressee>,
  maxLateness: Temporal.Duration,
  now: Temporal.Instant,
): Decisions {
  const [toSend, outcomes]: [Reminder[], Outcome[]] = [[], []];
  const [late, expectedAt] = [new Set<string>(), new Map<number, Temporal.Instant>()];
  for (const reminder of reminders) {
    const preference = addressees.get(keyOf(reminder))?.preference;
    const sending = preference && sendingOf(reminder, preference, maxLateness, now);
    if (sending === undefined) outcomes.push(skipped(reminder.id, 'RECIPIENT_GONE'));
    else if (sending.what === 'SKIP') outcomes.push(skipped(reminder.id, sending.reason));
    else if (sending.what === 'DEFER') outcomes.push(deferred(reminder.id, sending.until, sending.reason));
    else {
      toSend.push(reminder);
      expectedAt.set(reminder.id, sending.expectedAt);
      if (sending.late) late.add(reminder.messageId!);
    }
  }
  return { toSend, late, expectedAt, outcomes };
}

export function keyOf({ recipientKind, recipientId }: Reminder): string {
  return `${recipientKind} ${recipientId}`;
}
