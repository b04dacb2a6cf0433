import type { ReminderRule } from '../../reminder/index.js';

type ReminderSettings = { remindDays?: number; reminders: readonly string[] };

/** Converts the reminder settings of a request or series to reminder rules. Each rule applies to both recipients. */
export function toReminderRules({ remindDays, reminders }: ReminderSettings): ReminderRule[] {
  const aroundStart = reminders.map((offset): ReminderRule => ({ kind: 'AROUND_START', offset }));
  return remindDays === undefined ? aroundStart : [{ kind: 'REMIND_DAYS', days: remindDays }, ...aroundStart];
}
