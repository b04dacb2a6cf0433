import { Module } from '@nestjs/common';
import { DirectoryModule } from '../directory/index.js';
import { InstanceModule } from '../instance/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { ChannelRegistry, CHANNELS_TOKEN } from './channel/channel-registry.js';
import type { ReminderChannel } from './channel/channel.js';
import { CHANNEL_CLASSES } from './channel/index.js';
import { DemonstrationDeliveries } from './delivery/demonstration-deliveries.js';
import { DeliveryPacer } from './delivery/delivery-pacer.js';
import { MessageWriter } from './delivery/message-writer.js';
import { OptOutController } from './preference/opt-out.controller.js';
import {
  CareProviderPreferenceController,
  ClientPreferenceController,
  ClinicPreferenceController,
} from './preference/preference.controller.js';
import { PreferenceService } from './preference/preference.service.js';
import { TimeSettingsReader } from './planning/time-settings-reader.js';
import { RecipientProfiles } from './delivery/recipient-profiles.js';
import { OutcomeWriter } from './outcome/outcome-writer.js';
import { SessionDataLookup } from './planning/session-data-lookup.js';
import { ReminderRedriveController } from './redrive/reminder-redrive.controller.js';
import { ReminderRedriveService } from './redrive/reminder-redrive.service.js';
import { CareProviderReminderController, ClinicReminderController } from './reading/reminder.controller.js';
import { ReminderDispatcher } from './dispatch/reminder.dispatcher.js';
import { ReminderMetrics } from './metrics/reminder.metrics.js';
import { MessagePreparation } from './delivery/message-preparation.js';
import { QueueMetrics } from './queue/queue.metrics.js';
import { ReminderQueue } from './queue/reminder.queue.js';
import { DeadLetterWriter } from './outcome/dead-letter-writer.js';
import { EarlierDeliveryWaiter } from './outcome/earlier-delivery.js';
import { IncludedSessionLookup } from './reading/included-session-lookup.js';
import { MessagePreview } from './preview/message-preview.js';
import { ReminderMessageController } from './preview/reminder-message.controller.js';
import { ReminderExportSource } from './reading/reminder-export.source.js';
import { ReminderReader } from './reading/reminder.reader.js';
import { ReminderReplanning } from './planning/reminder-replanning.js';
import { ReminderScheduler } from './dispatch/reminder.scheduler.js';
import { SentOutcomeWriter } from './outcome/sent-outcome-writer.js';
import { DueTimeRecomputation } from './planning/due-time-recomputation.js';
import { ReminderService } from './planning/reminder.service.js';
import { UpcomingHomeworkReminders } from './reading/upcoming-homework-reminders.js';
import { ReminderSweeper } from './dispatch/reminder.sweeper.js';
import { ReminderWorker } from './delivery/reminder.worker.js';
import { Reminder } from './domain/reminder.entity.js';
import { OptOutLinkIssuer } from './delivery/opt-out-link-issuer.js';
import { OptOutLinkMaintenance } from './dispatch/opt-out-link-maintenance.js';
import { OptOutLink } from './domain/preference/opt-out-link.entity.js';
import { ReminderPreference } from './domain/preference/reminder-preference.entity.js';

/** Plans, queues and delivers reminders, and stores the preferences of their recipients. */
@Module({
  imports: [DirectoryModule, InstanceModule, SchedulerModule],
  controllers: [
    ReminderRedriveController,
    ClinicReminderController,
    CareProviderReminderController,
    ReminderMessageController,
    ClientPreferenceController,
    CareProviderPreferenceController,
    ClinicPreferenceController,
    OptOutController,
  ],
  providers: [
    DueTimeRecomputation,
    ReminderService,
    UpcomingHomeworkReminders,
    ReminderReader,
    ReminderRedriveService,
    ReminderExportSource,
    ReminderReplanning,
    TimeSettingsReader,
    PreferenceService,
    ReminderQueue,
    ReminderDispatcher,
    ReminderSweeper,
    MessagePreparation,
    SentOutcomeWriter,
    EarlierDeliveryWaiter,
    DeadLetterWriter,
    DeliveryPacer,
    DemonstrationDeliveries,
    ReminderWorker,
    ReminderScheduler,
    OutcomeWriter,
    ReminderMetrics,
    QueueMetrics,
    SessionDataLookup,
    IncludedSessionLookup,
    RecipientProfiles,
    MessageWriter,
    OptOutLinkIssuer,
    OptOutLinkMaintenance,
    MessagePreview,
    ChannelRegistry,
    ...CHANNEL_CLASSES,
    {
      provide: CHANNELS_TOKEN,
      inject: CHANNEL_CLASSES,
      useFactory: (...channels: ReminderChannel[]) => channels,
    },
    provideAuditRecordKinds({
      reminder: {
        references: ['reminderIds'],
        nested: ['remindersAhead'],
        conditionalReferences: [{ field: 'recipientId', kind: 'client', where: 'recipientKind', is: 'CLIENT' }],
      },
      'reminder-preference': {},
    }),
  ],
  exports: [
    ReminderExportSource,
    DueTimeRecomputation,
    ReminderService,
    UpcomingHomeworkReminders,
    ReminderQueue,
    ReminderDispatcher,
    SessionDataLookup,
    IncludedSessionLookup,
    ReminderSweeper,
    PreferenceService,
    DemonstrationDeliveries,
  ],
})
export class ReminderModule {
  static readonly entities = [Reminder, ReminderPreference, OptOutLink] as const;
}
