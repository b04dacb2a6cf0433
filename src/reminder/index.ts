// The door of the reminders: other modules import from here and from nowhere deeper.
export { NotNowError, ReminderChannel, UndeliverableError, type ReminderMessage } from './channel/channel.js';
export { LogChannel } from './channel/log/log.channel.js';
export type { ReminderStoryModel } from './reading/reminder-model.dto.js';
export { isReminderOffset } from './domain/due.js';
export { installQueue } from './dispatch/queue-schema.js';
export { ReminderPreference } from './preference/preference.entity.js';
export { isAfterDueDay, ReminderSubjects, type DueDay, type SubjectFacts } from './domain/reminder-subjects.js';
export { ReminderDispatcher } from './dispatch/reminder.dispatcher.js';
export type { RecipientKind, ReminderRule, ReminderSubject } from './domain/reminder-rule.js';
export { REMINDER_STATUSES } from './domain/reminder-status.js';
export { Reminder } from './domain/reminder.entity.js';
export { ReminderModule } from './reminder.module.js';
export { ReminderReplanning } from './planning/reminder.replanning.js';
export { RecipientSettings, type HoursByRecipient } from './planning/recipient-settings.js';
export { ReminderQueue } from './dispatch/reminder.queue.js';
export { ReminderService, type HomeworkReminder } from './planning/reminder.service.js';
export { ReminderSweeper } from './dispatch/reminder.sweeper.js';
