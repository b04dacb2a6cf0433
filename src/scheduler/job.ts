import { CronTime } from 'cron';
import { getSystemTimeMs, type Clock } from '../shared/time/index.js';

/** When a job runs: by a cron expression (in UTC, starting with the seconds) or at an interval in milliseconds. */
type JobSchedule = { cron: string } | { every: number };

/** A job that runs at certain times. */
export type JobDefinition = JobSchedule & {
  name: string;
  /**
   * @param reportProgress called by a long run between its transactions, to avoid being considered stalled. Throws an error
   *   that ends the run if the job is being stopped.
   */
  run: (reportProgress: () => void) => Promise<unknown>;
  /** Whether a stall of this job makes the instance not ready. */
  isVital?: boolean;
  /** Whether the job runs even while the clock is unreliable, because a wrong time does not harm it. */
  runsWithUnreliableClock?: boolean;
  /** Whether the job also runs once when it is registered. */
  runsAtStart?: boolean;
};

/** The state and counters of a job. The instants come from `Clock`. */
export type JobStatus = {
  name: string;
  isRunning: boolean;
  lastStart: Temporal.Instant | undefined;
  lastSuccess: Temporal.Instant | undefined;
  /** Duration of the last completed run, successful or not. */
  lastDurationSeconds: number | undefined;
  /** Time since the current run started or last reported progress; 0 while the job does not run. */
  silenceSeconds: number;
  successes: number;
  failures: number;
  /** Whether no progress was made for 60 seconds or three intervals, whichever is longer. Only vital jobs can stall. */
  isStalled: boolean;
};

const MIN_STALL_MS = 60_000;
const MAX_MISSED_RUNS = 3;

/** Ends a run between two transactions, because its job is being stopped. The next run continues the work. */
export class JobStoppedError extends Error {
  override readonly name = 'JobStoppedError';
}

/** A registered job. Allows only one run at a time and measures each run. */
export class Job {
  private running: Promise<void> | undefined;
  private isStopping = false;
  /** Whether the current run is followed by another one, for work that was added after it had started. */
  private mustRepeat = false;
  private lastStart: Temporal.Instant | undefined;
  private lastSuccess: Temporal.Instant | undefined;
  private lastDurationMs: number | undefined;
  private successes = 0;
  private failures = 0;
  private failuresInARow = 0;
  /** When the last run started, on the monotonic clock. */
  private startedAt = 0;
  /** When progress was last made, on the monotonic clock and on the machine clock, which cron expressions use. */
  private progressAt = { monotonic: performance.now(), machine: getSystemTimeMs() };
  /** Computing the runs of a cron expression takes milliseconds, so the result is kept until there is progress. */
  private missedRuns: { since: object; milliseconds: number } | undefined;

  /** @param onFailure called after each failed run */
  constructor(
    readonly definition: JobDefinition,
    private readonly clock: Clock,
    private readonly onFailure: (error: unknown, failuresInARow: number) => void,
  ) {}

  /**
   * Starts a run, or waits for the current one. Skips the run while the clock is unreliable, unless the job allows it.
   * Never rejects.
   */
  run(): Promise<void> {
    if (!this.isAllowedByClock) return this.waitForRun();
    return (this.running ??= this.runAndRepeat());
  }

  /**
   * Starts a run for work that has just been added. The current run may have read its work before, so it is repeated once
   * when it has ended, successful or not, unless the job is being stopped.
   */
  runForNewWork(): void {
    if (this.running === undefined) void this.run();
    else this.mustRepeat = true;
  }

  /** Waits for the current run. */
  async waitForRun(): Promise<void> {
    await this.running;
  }

  /** Ends the current run when it reports progress next, and waits for it. */
  async stopRun(): Promise<void> {
    this.isStopping = true;
    await this.running;
  }

  getStatus(): JobStatus {
    const { name } = this.definition;
    const { lastStart, lastSuccess, lastDurationMs, successes, failures, isStalled } = this;
    const lastDurationSeconds = lastDurationMs === undefined ? undefined : lastDurationMs / 1000;
    const isRunning = this.running !== undefined;
    const activeAt = Math.max(this.startedAt, this.progressAt.monotonic);
    const silenceSeconds = isRunning ? (performance.now() - activeAt) / 1000 : 0;
    const durations = { lastDurationSeconds, silenceSeconds };
    return { name, isRunning, lastStart, lastSuccess, ...durations, successes, failures, isStalled };
  }

  /** Whether a vital job has made no progress for too long. Before any progress, time counts from registration. */
  get isStalled(): boolean {
    const silence = performance.now() - this.progressAt.monotonic;
    return this.definition.isVital === true && silence > MIN_STALL_MS && silence > this.threeIntervalsMs;
  }

  /** Milliseconds from the last progress to the third scheduled run after it. */
  get threeIntervalsMs(): number {
    if (this.missedRuns?.since !== this.progressAt)
      this.missedRuns = { since: this.progressAt, milliseconds: this.computeMissedRunsMs() };
    return this.missedRuns.milliseconds;
  }

  private get isAllowedByClock(): boolean {
    return this.clock.isReliable || this.definition.runsWithUnreliableClock === true;
  }

  private async runAndRepeat(): Promise<void> {
    this.isStopping = false;
    try {
      do {
        this.mustRepeat = false;
        await this.runOnce();
      } while (this.isRepeatDue);
    } finally {
      // In the same microtask as the last check: a repetition that was requested in between would never be executed.
      this.running = undefined;
    }
  }

  private get isRepeatDue(): boolean {
    return this.mustRepeat && !this.isStopping && this.isAllowedByClock;
  }

  private async runOnce(): Promise<void> {
    this.startedAt = performance.now();
    this.lastStart = this.clock.now();
    try {
      await this.definition.run(() => this.reportProgress());
      this.successes += 1;
      this.failuresInARow = 0;
      this.lastSuccess = this.clock.now();
      this.recordProgress();
    } catch (error) {
      if (error instanceof JobStoppedError) return;
      this.failures += 1;
      this.failuresInARow += 1;
      this.onFailure(error, this.failuresInARow);
    } finally {
      this.lastDurationMs = performance.now() - this.startedAt;
    }
  }

  private reportProgress(): void {
    this.recordProgress();
    if (this.isStopping) throw new JobStoppedError();
  }

  private recordProgress(): void {
    this.progressAt = { monotonic: performance.now(), machine: getSystemTimeMs() };
  }

  /** Cron intervals can vary. */
  private computeMissedRunsMs(): number {
    const { definition, progressAt } = this;
    if ('every' in definition) return MAX_MISSED_RUNS * definition.every;
    const cronTime = new CronTime(definition.cron, 'UTC');
    try {
      // eslint-disable-next-line no-restricted-globals -- the library accepts no Temporal instant
      let nextRun = cronTime.getNextDateFrom(new Date(progressAt.machine), 'UTC');
      for (let runs = 1; runs < MAX_MISSED_RUNS; runs += 1) nextRun = cronTime.getNextDateFrom(nextRun, 'UTC');
      return nextRun.toMillis() - progressAt.machine;
    } catch {
      // The library looks only eight years ahead: not to the third 29 February.
      return Infinity;
    }
  }
}
