import type { RecipientKind } from '../domain/reminder-kinds.js';
import { getRecipientId, toDeduplicationKey } from '../domain/reminder-rule.js';
import type { Reminder } from '../domain/reminder.entity.js';
import type { SessionSnapshot } from '../domain/session-data.js';
import { createSuccessor } from '../domain/successor.js';
import type { TimeSettingsByRecipient } from './time-settings-reader.js';

/**
 * Updates a Session's unsent reminders, and creates successors to those that were sent for a different due time. If a
 * former Care Provider was erased, the successors to the deleted reminders follow from those to the Client, because each
 * rule of a Session has a reminder for both.
 */
export function rescheduleReminders(
  session: SessionSnapshot,
  reminders: readonly Reminder[],
  settings: TimeSettingsByRecipient,
  now: Temporal.Instant,
): { changed: Reminder[]; created: Reminder[] } {
  const keys = new Set(reminders.map((reminder) => reminder.deduplicationKey));
  const unsent = reminders.filter((one) => one.canStillBeSent);
  const settled = reminders.filter((one) => !one.canStillBeSent);
  const withErasedCounterpart = reminders.filter(
    (one) => one.kind === 'SESSION' && !keys.has(toDeduplicationKey(one, 'CARE_PROVIDER')),
  );
  const sentDueTimes = groupSentDueTimes(reminders);
  const getSentDueTimes = (key: string) => sentDueTimes.get(key) ?? NO_DUE_TIMES;
  const getSettings = (kind: RecipientKind) => settings.get(kind, getRecipientId(session, kind));
  const plannedKeys = new Set(unsent.map((reminder) => reminder.deduplicationKey));
  const createIfNeeded = (reminder: Reminder, recipientKind: RecipientKind) => {
    const key = toDeduplicationKey(reminder, recipientKind);
    if (plannedKeys.has(key)) return [];
    plannedKeys.add(key);
    const sent = { sentDueTimes: getSentDueTimes(key), recipientKind };
    return createSuccessor(reminder, session, now, getSettings(recipientKind), sent) ?? [];
  };
  // Before the due times of the unsent reminders change, because successors are created only for other due times.
  const created = [
    ...settled.flatMap((reminder) => createIfNeeded(reminder, reminder.recipientKind)),
    ...withErasedCounterpart.flatMap((reminder) => createIfNeeded(reminder, 'CARE_PROVIDER')),
  ];
  const changed = unsent.filter((reminder) =>
    reminder.reschedule(session, now, getSettings(reminder.recipientKind), getSentDueTimes(reminder.deduplicationKey)),
  );
  return { changed, created };
}

/**
 * Gives reminders that have left the same message one new message, because their recipient gets all reminders that are due
 * together in one.
 *
 * @param formerIds the message of each reminder before the change
 */
export function shareNewMessages(changed: readonly Reminder[], formerIds: ReadonlyMap<Reminder, string | null>): void {
  const hasLeft = (reminder: Reminder) => reminder.messageId !== null && reminder.messageId !== formerIds.get(reminder);
  for (const [formerId, reminders] of Map.groupBy(changed.filter(hasLeft), (one) => formerIds.get(one)))
    if (formerId != null) for (const reminder of reminders) reminder.messageId = reminders[0]!.messageId;
}

const NO_DUE_TIMES: ReadonlySet<number> = new Set();

/** The due times for which reminders were sent, in epoch milliseconds, by deduplication key. */
function groupSentDueTimes(reminders: readonly Reminder[]): Map<string, Set<number>> {
  const byKey = new Map<string, Set<number>>();
  for (const reminder of reminders)
    for (const due of reminder.sentDueTimes) {
      const dueTimes = byKey.get(reminder.deduplicationKey) ?? new Set();
      byKey.set(reminder.deduplicationKey, dueTimes.add(due));
    }
  return byKey;
}
