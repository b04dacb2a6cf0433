import { CronTime } from 'cron';
import { machineTime, type Clock } from '../shared/time/index.js';

/** Runs on a cron expression (in UTC, seconds first), or every so many milliseconds. */
type JobSchedule = { cron: string } | { every: number };

/** A job that the clock drives. */
export type JobDefinition = JobSchedule & {
  name: string;
  /** @param progress to be called by a run that may take long, so that it is not taken for one that hangs */
  run: (progress: () => void) => Promise<unknown>;
  /** An instance on which this job makes no progress is not ready. */
  isVital?: boolean;
  /** Runs on an instance whose clock is wrong, too, as it does not depend on the time. */
  runsWithUnreliableClock?: boolean;
  /** Runs once when it is registered, too. */
  runsAtStart?: boolean;
};

/** What is measured of a job. Instants are those of the Clock; what has not happened yet is undefined. */
export type JobStatus = {
  name: string;
  isRunning: boolean;
  lastStart: Temporal.Instant | undefined;
  lastSuccess: Temporal.Instant | undefined;
  /** Of the last run that has ended, successful or not. */
  lastDurationSeconds: number | undefined;
  successes: number;
  failures: number;
  /** No progress for the longer of 60 seconds and three intervals. A job that is not vital is never stalled. */
  isStalled: boolean;
};

const MIN_STALL_MS = 60_000;
const MAX_MISSED_RUNS = 3;

/** One registered job: runs it, one run at a time, and measures the runs. */
export class Job {
  private running: Promise<void> | undefined;
  private lastStart: Temporal.Instant | undefined;
  private lastSuccess: Temporal.Instant | undefined;
  private lastDurationMs: number | undefined;
  private successes = 0;
  private failures = 0;
  private failuresInARow = 0;
  /** By the monotonic clock, and by the machine's own, which cron expressions are read with. */
  private progressAt = { monotonic: performance.now(), machine: machineTime() };

  /** @param onFailure is told of every run that fails */
  constructor(
    readonly definition: JobDefinition,
    private readonly clock: Clock,
    private readonly onFailure: (error: unknown, failuresInARow: number) => void,
  ) {}

  /** Starts a run, unless the clock is wrong, or waits for the one that is under way. Never rejects. */
  run(): Promise<void> {
    if (!this.clock.isReliable && this.definition.runsWithUnreliableClock !== true) return this.waitForRun();
    return (this.running ??= this.runOnce().finally(() => (this.running = undefined)));
  }

  /** Waits for the run that is under way. */
  async waitForRun(): Promise<void> {
    await this.running;
  }

  status(): JobStatus {
    const { name } = this.definition;
    const { lastStart, lastSuccess, lastDurationMs, successes, failures, isStalled } = this;
    const lastDurationSeconds = lastDurationMs === undefined ? undefined : lastDurationMs / 1000;
    const isRunning = this.running !== undefined;
    return { name, isRunning, lastStart, lastSuccess, lastDurationSeconds, successes, failures, isStalled };
  }

  /** Counts from the registration until the first run has succeeded. */
  get isStalled(): boolean {
    const silence = performance.now() - this.progressAt.monotonic;
    return this.definition.isVital === true && silence > MIN_STALL_MS && silence > this.computeMissedRunsMs();
  }

  private async runOnce(): Promise<void> {
    const startedAt = performance.now();
    this.lastStart = this.clock.now();
    try {
      await this.definition.run(() => this.recordProgress());
      this.successes += 1;
      this.failuresInARow = 0;
      this.lastSuccess = this.clock.now();
      this.recordProgress();
    } catch (error) {
      this.failures += 1;
      this.failuresInARow += 1;
      this.onFailure(error, this.failuresInARow);
    } finally {
      this.lastDurationMs = performance.now() - startedAt;
    }
  }

  private recordProgress(): void {
    this.progressAt = { monotonic: performance.now(), machine: machineTime() };
  }

  /** From the last progress until the third turn after it: the gaps of a cron expression need not be equal. */
  private computeMissedRunsMs(): number {
    const { definition, progressAt } = this;
    if ('every' in definition) return MAX_MISSED_RUNS * definition.every;
    const cronTime = new CronTime(definition.cron, 'UTC');
    // eslint-disable-next-line no-restricted-globals -- the only instant that the library takes
    let turn = cronTime.getNextDateFrom(new Date(progressAt.machine), 'UTC');
    for (let turns = 1; turns < MAX_MISSED_RUNS; turns += 1) turn = cronTime.getNextDateFrom(turn, 'UTC');
    return turn.toMillis() - progressAt.machine;
  }
}
