import { Module } from '@nestjs/common';
import { DirectoryModule } from '../directory/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import { Channels } from './channel/channels.js';
import { CHANNELS } from './channel/index.js';
import { MessageWriter } from './message-writer.js';
import { OptOutController } from './opt-out.controller.js';
import {
  CareProviderPreferenceController,
  ClientPreferenceController,
  ClinicPreferenceController,
} from './preference.controller.js';
import { PreferenceService } from './preference.service.js';
import { RecipientSettings } from './recipient-settings.js';
import { Recipients } from './recipients.js';
import { ReminderLedger } from './reminder-ledger.js';
import { ReminderSubjects } from './reminder-subjects.js';
import { CaregiverReminderController, ClinicReminderController } from './reminder.controller.js';
import { ReminderDispatcher } from './reminder.dispatcher.js';
import { ReminderMetrics } from './reminder.metrics.js';
import { ReminderPreparation } from './reminder.preparation.js';
import { ReminderQueue } from './reminder.queue.js';
import { ReminderReader } from './reminder.reader.js';
import { ReminderReplanning } from './reminder.replanning.js';
import { ReminderScheduler } from './reminder.scheduler.js';
import { SentWriter } from './reminder.sent-writer.js';
import { ReminderService } from './reminder.service.js';
import { ReminderSweeper } from './reminder.sweeper.js';
import { ReminderWorker } from './reminder.worker.js';

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
    ReminderLedger,
    ReminderMetrics,
    ReminderSubjects,
    Recipients,
    MessageWriter,
    Channels,
    ...CHANNELS,
  ],
  exports: [ReminderService, ReminderQueue, ReminderDispatcher, ReminderSubjects, ReminderSweeper],
})
export class ReminderModule {}
