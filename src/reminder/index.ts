// The door of the reminders: other modules import from here and from nowhere deeper.
export { NotNowError, ReminderChannel, UndeliverableError, type ReminderMessage } from './channel/channel.js';
export { LogChannel } from './channel/log/log.channel.js';
export type { ReminderStoryModel } from './dto/reminder-model.js';
export { isReminderOffset } from './due.js';
export { installQueue } from './queue-schema.js';
export { ReminderPreference } from './preference.entity.js';
export { isAfterDueDay, ReminderSubjects, type DueDay, type SubjectFacts } from './reminder-subjects.js';
export { ReminderDispatcher } from './reminder.dispatcher.js';
export type { RecipientKind, ReminderRule, ReminderSubject } from './reminder-rule.js';
export { REMINDER_STATUSES } from './reminder-status.js';
export { Reminder } from './reminder.entity.js';
export { ReminderModule } from './reminder.module.js';
export { ReminderReplanning } from './reminder.replanning.js';
export { RecipientSettings, type HoursByRecipient } from './recipient-settings.js';
export { ReminderQueue } from './reminder.queue.js';
export { ReminderService, type HomeworkReminder } from './reminder.service.js';
export { ReminderSweeper } from './reminder.sweeper.js';
