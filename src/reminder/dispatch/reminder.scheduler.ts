import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../../scheduler/index.js';
import { Environment } from '../../shared/config/env.js';
import { Clock, ZoneData } from '../../shared/time/index.js';
import { DeadLetterWriter } from '../outcome/dead-letter-writer.js';
import { DeliveryPacer } from '../delivery/delivery-pacer.js';
import { ReminderWorker } from '../delivery/reminder.worker.js';
import { ReminderReplanning } from '../planning/reminder-replanning.js';
import { ReminderQueue } from '../queue/reminder.queue.js';
import { ReminderDispatcher } from './reminder.dispatcher.js';
import { ReminderSweeper } from './reminder.sweeper.js';

const INTAKE_JOB = 'reminder-intake';
const INTAKE_INTERVAL_MS = 1_000;
const DISPATCH_JOB = 'reminder-dispatch';
const SWEEP_JOB = 'reminder-sweep';
const REPLANNING_JOB = 'reminder-replanning';
const REPLANNING_INTERVAL_MS = 5_000;
const SWEEP_CRON = '30 * * * * *';

/** Registers the reminder jobs with the scheduler, and starts and stops this instance's queue. */
@Injectable()
export class ReminderScheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly environment: Environment,
    private readonly queue: ReminderQueue,
    private readonly dispatcher: ReminderDispatcher,
    private readonly sweeper: ReminderSweeper,
    private readonly worker: ReminderWorker,
    private readonly deadLetters: DeadLetterWriter,
    private readonly pace: DeliveryPacer,
    private readonly replanning: ReminderReplanning,
    private readonly clock: Clock,
    private readonly zoneData: ZoneData,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.queue.start();
    await this.startOrPauseWorker();
    await this.queue.workDeadLetters((jobs) => this.deadLetters.write(jobs));
    const run = () => this.startOrPauseWorker();
    this.scheduler.register({ name: INTAKE_JOB, every: INTAKE_INTERVAL_MS, run, runsWithUnreliableClock: true });
    this.scheduler.register({
      name: DISPATCH_JOB,
      cron: this.environment.reminderCron,
      run: async (progress) => this.zoneData.isOutdated || this.dispatcher.dispatchDue(progress),
      isVital: true,
    });
    const sweep = (progress: () => void) => this.sweeper.sweep(progress);
    this.scheduler.register({ name: SWEEP_JOB, cron: SWEEP_CRON, run: sweep, runsAtStart: true });
    const replan = async (progress: () => void) =>
      this.zoneData.isOutdated || this.replanning.processRequests(progress);
    this.scheduler.register({ name: REPLANNING_JOB, every: REPLANNING_INTERVAL_MS, run: replan });
  }

  /**
   * While the clock is unreliable or the time zone data is outdated, this instance fetches no messages and leaves them to
   * the other instances.
   */
  private async startOrPauseWorker(): Promise<void> {
    const { isRunning, isWorking } = this.queue;
    if (!this.clock.isReliable || this.zoneData.isOutdated) await this.queue.pause();
    else if (isRunning && !isWorking) await this.queue.work((jobs) => this.worker.deliverBatch(jobs));
  }

  async beforeApplicationShutdown(): Promise<void> {
    // Ends the pauses between turns of work; otherwise, the work would not finish before the process must exit.
    this.pace.release();
    // The scheduled jobs insert into the queue, so they are stopped first.
    await this.scheduler.stop(INTAKE_JOB, DISPATCH_JOB, SWEEP_JOB, REPLANNING_JOB);
    this.worker.stop();
    await this.queue.stop();
    this.worker.abandonWrites();
  }
}
