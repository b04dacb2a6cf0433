import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { Clock } from '../shared/time/index.js';
import { Job, type JobDefinition, type JobStatus } from './job.js';

/** The first failure in a row is logged at once, further ones at most this often. */
const FAILURE_LOG_INTERVAL_MS = 60_000;

/**
 * The one owner of all jobs that the clock drives, among them the dispatch that fires the reminders of `remindDays`.
 * A feature registers its jobs when the application has started. A run that fails loses nothing, as the next one
 * finds what it left; so its failure is logged and goes no further.
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

  /** Adds a job and starts it. @throws Error when its name is taken */
  register(definition: JobDefinition): void {
    const { name } = definition;
    if (this.jobsByName.has(name)) throw new Error(`There is a job named ${name} already`);
    this.jobsByName.set(name, new Job(definition, this.clock, (error, inARow) => this.logFailure(name, error, inARow)));
    this.start(name);
    if (definition.runsAtStart === true) void this.run(name);
  }

  /** Runs a job now, or waits for its run that is under way. A failure is logged and does not reject. */
  run(name: string): Promise<void> {
    return this.requireJob(name).run();
  }

  /** What is measured of every job. */
  jobStatuses(): JobStatus[] {
    return [...this.jobsByName.values()].map((job) => job.status());
  }

  /** Lets jobs that were stopped run again; without names, all. */
  start(...names: string[]): void {
    for (const name of names.length === 0 ? this.jobsByName.keys() : names) {
      if (!this.isStarted(name)) this.startTimer(this.requireJob(name));
    }
  }

  /** Starts no further run of these jobs, and waits for those under way; without names, of all jobs. */
  async stop(...names: string[]): Promise<void> {
    const known = names.length === 0 ? [...this.jobsByName.keys()] : names.filter((name) => this.jobsByName.has(name));
    for (const name of known) this.stopTimer(name);
    await Promise.all(known.map((name) => this.requireJob(name).waitForRun()));
  }

  /** A job that hands over to something that is stopped as well is stopped by its feature, before that. */
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

  /** By the class and the SQLSTATE alone: a message of the database may hold values of its rows. */
  private logFailure(job: string, error: unknown, failuresInARow: number): void {
    const now = performance.now();
    // A job of every second would fill the log while the database is away.
    if (failuresInARow > 1 && now - (this.loggedAt.get(job) ?? 0) < FAILURE_LOG_INTERVAL_MS) return;
    this.loggedAt.set(job, now);
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    const name = error instanceof Error ? error.name : typeof error;
    this.logger.error({ job, error: name, code, failuresInARow }, 'a job failed');
  }
}
