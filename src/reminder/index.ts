// The door of the reminders: other modules import from here and from nowhere deeper.
export { NotNowError, ReminderChannel, UndeliverableError, type ReminderMessage } from './channel/channel.js';
export { LogChannel } from './channel/log/log.channel.js';
export type { ReminderStoryModel } from './reading/reminder-model.dto.js';
export { isReminderOffset } from './domain/timing/due-time.js';
export { installQueue } from './queue/queue-schema.js';
export { ReminderPreference } from './domain/preference/reminder-preference.entity.js';
export { isAfterDueDay, ReminderSubjects, type DueDay, type SubjectFacts } from './planning/session-lookup.js';
export { ReminderDispatcher } from './dispatch/reminder.dispatcher.js';
export type { RecipientKind, ReminderRule, ReminderSubject } from './domain/reminder-rule.js';
export { REMINDER_STATUSES } from './domain/reminder-status.js';
export { Reminder } from './domain/reminder.entity.js';
export { ReminderModule } from './reminder.module.js';
export { ReminderReplanning } from './planning/reminder-replanning.js';
export { RecipientSettings, type HoursByRecipient } from './planning/time-settings-reader.js';
export { ReminderQueue } from './queue/reminder.queue.js';
export { ReminderService, type HomeworkReminder } from './planning/reminder.service.js';
export { ReminderSweeper } from './dispatch/reminder.sweeper.js';
