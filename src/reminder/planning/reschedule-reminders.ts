import { getRecipientId } from '../domain/reminder-rule.js';
import type { Reminder } from '../domain/reminder.entity.js';
import type { SessionSnapshot } from '../domain/session-data.js';
import type { TimeSettingsByRecipient } from './time-settings-reader.js';

/** Updates a Session's unsent reminders, and creates successors to those that were sent for a different due time. */
export function rescheduleReminders(
  session: SessionSnapshot,
  reminders: readonly Reminder[],
  settings: TimeSettingsByRecipient,
  now: Temporal.Instant,
): { changed: Reminder[]; created: Reminder[] } {
  const [unsent, settled] = [
    reminders.filter((one) => one.canStillBeSent),
    reminders.filter((one) => !one.canStillBeSent),
  ];
  const sentDueTimes = groupSentDueTimes(reminders);
  const getSentDueTimes = ({ deduplicationKey }: Reminder) => sentDueTimes.get(deduplicationKey) ?? NO_DUE_TIMES;
  const getSettings = ({ recipientKind }: Reminder) =>
    settings.get(recipientKind, getRecipientId(session, recipientKind));
  const changed = unsent.filter((reminder) =>
    reminder.reschedule(session, now, getSettings(reminder), getSentDueTimes(reminder)),
  );
  const unsentKeys = new Set(unsent.map((reminder) => reminder.deduplicationKey));
  const created = settled.flatMap((reminder) => {
    if (unsentKeys.has(reminder.deduplicationKey)) return [];
    unsentKeys.add(reminder.deduplicationKey);
    return reminder.createForNewTime(session, now, getSettings(reminder), getSentDueTimes(reminder)) ?? [];
  });
  return { changed, created };
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
