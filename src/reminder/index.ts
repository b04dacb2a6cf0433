// The public interface of the module. Other modules import only from this file.
export { UndeliverableError, type ReminderMessage } from './channel/channel.js';
export { LogChannel } from './channel/log/log.channel.js';
export { reminderWithHistorySchema, type ReminderWithHistoryModel } from './reading/reminder-model.dto.js';
export { ReminderExportSource } from './reading/reminder-export.source.js';
export {
  isAfterNextSession,
  toUpcomingReminder,
  upcomingReminderSchema,
  buildUpcomingRemindersSql,
  MAX_UPCOMING_REMINDERS_PER_SESSION,
  type ReminderViewer,
  type UpcomingReminder,
  type UpcomingReminderRow,
} from './reading/upcoming-reminders.js';
export {
  IncludedSessionLookup,
  type IncludedSession,
  type ReminderInclude,
} from './reading/included-session-lookup.js';
export { findToldStarts, isLastToldStartFormer } from './domain/told-starts.js';
export { UpcomingHomeworkReminders } from './reading/upcoming-homework-reminders.js';
export { isReminderOffset } from './domain/timing/due-time.js';
export { installQueueSchema } from './queue/queue-schema.js';
export { OptOutLink } from './domain/preference/opt-out-link.entity.js';
export { ReminderPreference } from './domain/preference/reminder-preference.entity.js';
export {
  isAfterDueDay,
  type HomeworkDueDay,
  type SessionMessageDetails,
  type SessionSnapshot,
} from './domain/session-data.js';
export { DueTimeRecomputation } from './planning/due-time-recomputation.js';
export { SessionDataLookup } from './planning/session-data-lookup.js';
export { DemonstrationDeliveries, type DemonstrationOutcome } from './delivery/demonstration-deliveries.js';
export { PreferenceService } from './preference/preference.service.js';
export { preferenceSchema, type PutPreference } from './preference/preference.dto.js';
export { ReminderDispatcher } from './dispatch/reminder.dispatcher.js';
export type { ReminderRule } from './domain/reminder-rule.js';
export { getRecipientId, getRuleTimeZone } from './domain/reminder-rule.js';
export { isUpcoming, REMINDER_STATUSES } from './domain/reminder-status.js';
export { Reminder } from './domain/reminder.entity.js';
export { ReminderModule } from './reminder.module.js';
export { ReminderReplanning, requestReplanningOfQuietHours } from './planning/reminder-replanning.js';
export { TimeSettingsReader } from './planning/time-settings-reader.js';
export { ALL_QUEUE_NAMES } from './queue/queue-names.js';
export { ReminderQueue } from './queue/reminder.queue.js';
export { ReminderService, type NewHomeworkReminder, type PlannedReminders } from './planning/reminder.service.js';
export { endedErasureNoticesConditionSql, noticesAboutErasedClientSql } from './erasure/erasure-notices.sql.js';
export { deleteQueueJobsSql, RECIPIENT_ROWS_TO_ERASE } from './erasure/reminder-erasure.js';
export { ReminderSweeper } from './dispatch/reminder.sweeper.js';
