import type { NewHomeworkReminder, ReminderRule } from '../../reminder/index.js';
import type { NewHomework } from './plan-weeks.js';

type ReminderSettings = { remindDays?: number; reminders: readonly string[] };

/** Converts the reminder settings of a request or series to reminder rules. Each rule applies to both recipients. */
export function toReminderRules({ remindDays, reminders }: ReminderSettings): ReminderRule[] {
  const aroundStart = reminders.map((offset): ReminderRule => ({ kind: 'AROUND_START', offset }));
  return remindDays === undefined ? aroundStart : [{ kind: 'REMIND_DAYS', days: remindDays }, ...aroundStart];
}

/** Returns the rules of the reminders of homework. @param timeZone time zone of the Client */
export function toHomeworkRules({ bookId, reminders }: NewHomework, timeZone: string): NewHomeworkReminder['rule'][] {
  return reminders.map(({ reminderDay, time }) => ({ kind: 'HOMEWORK', bookId, reminderDay, time, timeZone }));
}
