import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Environment } from '../shared/env.js';
import { Ticks } from '../shared/schedule/index.js';
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
  constructor(
    private readonly ticks: Ticks,
    private readonly environment: Environment,
    private readonly queue: ReminderQueue,
    private readonly dispatcher: ReminderDispatcher,
    private readonly sweeper: ReminderSweeper,
    private readonly worker: ReminderWorker,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.queue.start();
    await this.queue.work((jobs) => this.worker.deliver(jobs));
    await this.queue.workDeadLetters((jobs) => this.worker.bury(jobs));
    this.ticks.every(this.environment.reminderCron, DISPATCH, () => this.dispatcher.dispatchDue());
    this.ticks.every(EVERY_MINUTE, SWEEP, () => this.sweeper.sweep());
  }

  async beforeApplicationShutdown(): Promise<void> {
    // Before the queue, into which they would hand over.
    await this.ticks.stop(DISPATCH, SWEEP);
    this.worker.stop();
    await this.queue.stop();
  }
}
