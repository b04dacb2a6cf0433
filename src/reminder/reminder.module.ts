import { Module } from '@nestjs/common';
import { DirectoryModule } from '../directory/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import { provideAuditRecords } from '../shared/audit-records/index.js';
import { Channels } from './channel/channel-registry.js';
import { CHANNELS } from './channel/index.js';
import { MessageWriter } from './delivery/message-writer.js';
import { OptOutController } from './preference/opt-out.controller.js';
import {
  CareProviderPreferenceController,
  ClientPreferenceController,
  ClinicPreferenceController,
} from './preference/preference.controller.js';
import { PreferenceService } from './preference/preference.service.js';
import { RecipientSettings } from './planning/time-settings-reader.js';
import { Recipients } from './delivery/recipient-profiles.js';
import { DeliveryOutcomes } from './delivery/outcome-writer.js';
import { ReminderSubjects } from './planning/session-lookup.js';
import { CaregiverReminderController, ClinicReminderController } from './reading/reminder.controller.js';
import { ReminderDispatcher } from './dispatch/reminder.dispatcher.js';
import { ReminderMetrics } from './metrics/reminder.metrics.js';
import { ReminderPreparation } from './delivery/message-preparation.js';
import { ReminderQueue } from './queue/reminder.queue.js';
import { ReminderReader } from './reading/reminder.reader.js';
import { ReminderReplanning } from './planning/reminder-replanning.js';
import { ReminderScheduler } from './dispatch/reminder.scheduler.js';
import { SentWriter } from './delivery/sent-outcome-writer.js';
import { ReminderService } from './planning/reminder.service.js';
import { ReminderSweeper } from './dispatch/reminder.sweeper.js';
import { ReminderWorker } from './delivery/reminder.worker.js';

/** What is due, when, for whom; preferences; cron, queue and channels. */
@Module({
  imports: [DirectoryModule, SchedulerModule],
  controllers: [
    ClinicReminderController,
    CaregiverReminderController,
    ClientPreferenceController,
    CareProviderPreferenceController,
    ClinicPreferenceController,
    OptOutController,
  ],
  providers: [
    ReminderService,
    ReminderReader,
    ReminderReplanning,
    RecipientSettings,
    PreferenceService,
    ReminderQueue,
    ReminderDispatcher,
    ReminderSweeper,
    ReminderPreparation,
    SentWriter,
    ReminderWorker,
    ReminderScheduler,
    DeliveryOutcomes,
    ReminderMetrics,
    ReminderSubjects,
    Recipients,
    MessageWriter,
    Channels,
    ...CHANNELS,
    provideAuditRecords({
      reminder: {
        conditionalReferences: [{ field: 'recipientId', kind: 'client', where: 'recipientKind', is: 'CLIENT' }],
      },
      'reminder-preference': {},
    }),
  ],
  exports: [ReminderService, ReminderQueue, ReminderDispatcher, ReminderSubjects, ReminderSweeper],
})
export class ReminderModule {}
