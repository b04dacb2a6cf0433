import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { findErrorCode, getErrorClassName } from '../shared/errors/index.js';
import { Clock } from '../shared/time/index.js';
import { Job, type JobDefinition, type JobStatus } from './job.js';

/** Consecutive failures of a job are logged at most this often. The first failure is always logged. */
const FAILURE_LOG_INTERVAL_MS = 60_000;

/**
 * Runs all scheduled jobs, including the dispatch of reminders. Modules register their jobs at startup. A failed run is
 * only logged, because the next run finds the same work again.
 */
@Injectable()
export class Scheduler implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Scheduler.name);
  private readonly jobsByName = new Map<string, Job>();
  private readonly loggedAt = new Map<string, number>();

  constructor(
    private readonly registry: SchedulerRegistry,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a job and starts its timer.
   *
   * @throws Error if the name is already in use
   */
  register(definition: JobDefinition): void {
    const { name } = definition;
    if (this.jobsByName.has(name)) throw new Error(`There is a job named ${name} already`);
    this.jobsByName.set(name, new Job(definition, this.clock, (error, inARow) => this.logFailure(name, error, inARow)));
    this.start(name);
    if (definition.runsAtStart === true) void this.run(name);
  }

  /** Runs a job now, or waits for its current run. A failure is logged and does not reject the promise. */
  run(name: string): Promise<void> {
    return this.requireJob(name).run();
  }

  /**
   * Runs a job soon, for work that a request has just added. If the job is running, it runs again afterwards. Does nothing
   * while the job is stopped.
   */
  runIfStarted(name: string): void {
    if (this.isStarted(name)) this.requireJob(name).runForNewWork();
  }

  /** The state and counters of all jobs. */
  listJobStatuses(): JobStatus[] {
    return [...this.jobsByName.values()].map((job) => job.getStatus());
  }

  /** The milliseconds from the last progress of each job to the third scheduled run after it, by name. */
  listThreeIntervalsMs(): Map<string, number> {
    return new Map([...this.jobsByName].map(([name, job]) => [name, job.threeIntervalsMs]));
  }

  /** Starts the timers of the named jobs, or of all jobs if no names are given. */
  start(...names: string[]): void {
    for (const name of names.length === 0 ? this.jobsByName.keys() : names) {
      if (!this.isStarted(name)) this.startTimer(this.requireJob(name));
    }
  }

  /**
   * Stops the timers of the named jobs, or of all jobs if no names are given, and waits for their current runs, which end
   * when they report progress.
   */
  async stop(...names: string[]): Promise<void> {
    const selected =
      names.length === 0 ? [...this.jobsByName.keys()] : names.filter((name) => this.jobsByName.has(name));
    for (const name of selected) this.stopTimer(name);
    await Promise.all(selected.map((name) => this.requireJob(name).stopRun()));
  }

  /** Stops all jobs. A module that stops a resource earlier must first stop the jobs that use the resource. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  private startTimer(job: Job): void {
    const { definition } = job;
    const onTick = () => void job.run();
    if ('cron' in definition) {
      const cronJob = CronJob.from({ cronTime: definition.cron, onTick, timeZone: 'UTC', start: true });
      this.registry.addCronJob(definition.name, cronJob);
    } else {
      this.registry.addInterval(definition.name, setInterval(onTick, definition.every));
    }
  }

  private stopTimer(name: string): void {
    if (this.registry.doesExist('cron', name)) this.registry.deleteCronJob(name);
    if (this.registry.doesExist('interval', name)) this.registry.deleteInterval(name);
  }

  private isStarted(name: string): boolean {
    return this.registry.doesExist('cron', name) || this.registry.doesExist('interval', name);
  }

  private requireJob(name: string): Job {
    const job = this.jobsByName.get(name);
    if (job === undefined) throw new Error(`There is no job named ${name}`);
    return job;
  }

  /** Logs a failed run without the message of the error, which may contain values from rows. */
  private logFailure(job: string, error: unknown, failuresInARow: number): void {
    const now = performance.now();
    // Otherwise, a job that runs every second would fill the log while the database is unavailable.
    if (failuresInARow > 1 && now - (this.loggedAt.get(job) ?? 0) < FAILURE_LOG_INTERVAL_MS) return;
    this.loggedAt.set(job, now);
    const details = { error: getErrorClassName(error), code: findErrorCode(error) };
    this.logger.error({ job, ...details, failuresInARow }, 'a job failed');
  }
}
