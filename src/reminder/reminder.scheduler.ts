import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { Environment } from '../shared/env.js';
import { ReminderDispatcher } from './reminder.dispatcher.js';
import { ReminderQueue } from './reminder.queue.js';
import { ReminderSweeper } from './reminder.sweeper.js';
import { ReminderWorker } from './reminder.worker.js';

const DISPATCH = 'reminder-dispatch';
const SWEEP = 'reminder-sweep';
const EVERY_MINUTE = '30 * * * * *';

/** Runs the reminders of this instance: looks for due ones on `REMINDER_CRON`, and works the queue. */
@Injectable()
export class ReminderScheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ReminderScheduler.name);

  constructor(
    private readonly registry: SchedulerRegistry,
    private readonly environment: Environment,
    private readonly queue: ReminderQueue,
    private readonly dispatcher: ReminderDispatcher,
    private readonly sweeper: ReminderSweeper,
    private readonly worker: ReminderWorker,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { database } = this.environment;
    await this.queue.start(database.kind === 'embedded' || database.migrateOnStart);
    await this.queue.work((jobs) => this.worker.deliver(jobs));
    await this.queue.workDeadLetters((jobs) => this.worker.bury(jobs));
    this.schedule(DISPATCH, this.environment.reminderCron, () => this.dispatcher.dispatchDue());
    this.schedule(SWEEP, EVERY_MINUTE, () => this.sweeper.sweep());
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const name of [DISPATCH, SWEEP]) {
      if (this.registry.doesExist('cron', name)) await this.registry.getCronJob(name).stop();
    }
    this.worker.stop();
    await this.queue.stop();
  }

  private schedule(name: string, cronTime: string, work: () => Promise<number>): void {
    const job = CronJob.from({
      cronTime,
      onTick: () => this.run(name, work),
      // A tick that takes longer than the interval is not started twice.
      waitForCompletion: true,
      timeZone: 'UTC',
    });
    this.registry.addCronJob(name, job);
    job.start();
  }

  /** A failed tick loses nothing: what is due stays due, and the next tick finds it. */
  private async run(name: string, work: () => Promise<number>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.error({ job: name, error: error instanceof Error ? error.name : typeof error }, 'a tick failed');
    }
  }
}
