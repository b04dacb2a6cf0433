// The door of the reminders: other modules import from here and from nowhere deeper.
export { ReminderChannel, type ReminderMessage } from './channel/channel.js';
export { isReminderOffset } from './due.js';
export { ReminderDispatcher } from './reminder.dispatcher.js';
export { Reminder, type RecipientKind, type ReminderRule, type ReminderSubject } from './reminder.entity.js';
export { ReminderModule } from './reminder.module.js';
export { ReminderQueue } from './reminder.queue.js';
export { ReminderService, type HomeworkReminder } from './reminder.service.js';
