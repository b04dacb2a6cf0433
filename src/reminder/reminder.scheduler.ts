import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { Environment } from '../shared/env.js';
import { ReminderDispatcher } from './reminder.dispatcher.js';
import { ReminderQueue } from './reminder.queue.js';
import { ReminderWorker } from './reminder.worker.js';

const JOB = 'reminder-dispatch';

/** Runs the reminders of this instance: looks for due ones on `REMINDER_CRON`, and works the queue. */
@Injectable()
export class ReminderScheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ReminderScheduler.name);

  constructor(
    private readonly registry: SchedulerRegistry,
    private readonly environment: Environment,
    private readonly queue: ReminderQueue,
    private readonly dispatcher: ReminderDispatcher,
    private readonly worker: ReminderWorker,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { database } = this.environment;
    await this.queue.start(database.kind === 'embedded' || database.migrateOnStart);
    await this.queue.work((jobs) => this.worker.deliver(jobs));
    await this.queue.workDeadLetters((jobs) => this.worker.bury(jobs));
    const job = CronJob.from({
      cronTime: this.environment.reminderCron,
      onTick: () => this.tick(),
      // A tick that takes longer than the interval is not started twice.
      waitForCompletion: true,
      timeZone: 'UTC',
    });
    this.registry.addCronJob(JOB, job);
    job.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.registry.doesExist('cron', JOB)) await this.registry.getCronJob(JOB).stop();
    await this.queue.stop();
  }

  /** A failed tick loses nothing: what is due stays due, and the next tick finds it. */
  private async tick(): Promise<void> {
    try {
      await this.dispatcher.dispatchDue();
    } catch (error) {
      this.logger.error(
        { error: error instanceof Error ? error.name : typeof error },
        'due reminders could not be handed over',
      );
    }
  }
}
