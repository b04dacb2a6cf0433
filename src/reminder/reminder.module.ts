import { Module } from '@nestjs/common';
import { ReminderChannel } from './channel/channel.js';
import { LogChannel } from './channel/log/log.channel.js';
import { ReminderDispatcher } from './reminder.dispatcher.js';
import { ReminderQueue } from './reminder.queue.js';
import { ReminderScheduler } from './reminder.scheduler.js';
import { ReminderService } from './reminder.service.js';
import { ReminderWorker } from './reminder.worker.js';

/** What is due, when, for whom; cron, queue and channels. */
@Module({
  providers: [
    ReminderService,
    ReminderQueue,
    ReminderDispatcher,
    ReminderWorker,
    ReminderScheduler,
    // The one line that registers a channel.
    { provide: ReminderChannel, useClass: LogChannel },
  ],
  exports: [ReminderService, ReminderQueue, ReminderDispatcher],
})
export class ReminderModule {}
