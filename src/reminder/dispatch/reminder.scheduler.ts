import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../../scheduler/index.js';
import { Environment } from '../../shared/config/env.js';
import { Clock } from '../../shared/time/index.js';
import { ReminderDispatcher } from './reminder.dispatcher.js';
import { ReminderQueue } from '../queue/reminder.queue.js';
import { ReminderReplanning } from '../planning/reminder-replanning.js';
import { ReminderSweeper } from './reminder.sweeper.js';
import { ReminderWorker } from '../delivery/reminder.worker.js';

const INTAKE = 'reminder-intake';
const INTAKE_MS = 1_000;
const DISPATCH = 'reminder-dispatch';
const SWEEP = 'reminder-sweep';
const REPLAN = 'reminder-replanning';
const REPLAN_MS = 5_000;
const EVERY_MINUTE = '30 * * * * *';

/** Runs the reminders of this instance: looks for due ones on `REMINDER_CRON`, and works the queue. */
@Injectable()
export class ReminderScheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly environment: Environment,
    private readonly queue: ReminderQueue,
    private readonly dispatcher: ReminderDispatcher,
    private readonly sweeper: ReminderSweeper,
    private readonly worker: ReminderWorker,
    private readonly replanning: ReminderReplanning,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.queue.start(this.clock);
    await this.takeJobs();
    await this.queue.workDeadLetters((jobs) => this.worker.bury(jobs));
    const run = () => this.takeJobs();
    this.scheduler.register({ name: INTAKE, every: INTAKE_MS, run, runsWithUnreliableClock: true });
    this.scheduler.register({
      name: DISPATCH,
      cron: this.environment.reminderCron,
      run: (progress) => this.dispatcher.dispatchDue(progress),
      isVital: true,
    });
    this.scheduler.register({ name: SWEEP, cron: EVERY_MINUTE, run: () => this.sweeper.sweep(), runsAtStart: true });
    const replan = (progress: () => void) => this.replanning.runRequested(progress);
    this.scheduler.register({ name: REPLAN, every: REPLAN_MS, run: replan });
  }

  /** An instance with a wrong clock leaves the jobs to the others. */
  private async takeJobs(): Promise<void> {
    const { isRunning, isWorking } = this.queue;
    if (!this.clock.isReliable) await this.queue.pause();
    else if (isRunning && !isWorking) await this.queue.work((jobs) => this.worker.deliver(jobs));
  }

  async beforeApplicationShutdown(): Promise<void> {
    // Before the queue, into which they would hand over.
    await this.scheduler.stop(INTAKE, DISPATCH, SWEEP, REPLAN);
    this.worker.stop();
    await this.queue.stop();
    this.worker.giveUp();
  }
}
