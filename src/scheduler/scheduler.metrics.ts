import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import type { JobStatus } from './job.js';
import { Scheduler } from './scheduler.js';

/** The label is not `job`, because Prometheus sets that label itself. */
const labelNames = ['task'];

/** Metrics for the scheduled jobs. */
@Injectable()
export class SchedulerMetrics {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly registry: Registry,
  ) {
    this.gauge('last_success_timestamp_seconds', 'When the job last succeeded.', ({ lastSuccess }) =>
      lastSuccess === undefined ? undefined : lastSuccess.epochMilliseconds / 1000,
    );
    this.gauge('last_duration_seconds', 'Duration of the last run.', (job) => job.lastDurationSeconds);
    this.gauge(
      'silence_seconds',
      'Time for which the current run has reported no progress; 0 while the job does not run.',
      (job) => job.silenceSeconds,
    );
    this.gauge('stalled', 'Whether a vital job makes no progress, so that the instance is not ready.', (job) =>
      job.isStalled ? 1 : 0,
    );
    this.threeIntervals();
    this.counter();
  }

  private gauge(name: string, help: string, valueOf: (job: JobStatus) => number | undefined): void {
    const gauge: Gauge = new Gauge({
      ...{ name: `scheduling_task_${name}`, help, labelNames, registers: [this.registry] },
      collect: () => {
        for (const job of this.scheduler.listJobStatuses()) {
          const value = valueOf(job);
          if (value !== undefined) gauge.set({ task: job.name }, value);
        }
      },
    });
  }

  /** The alerts allow a job this time, because its schedule can be slow. */
  private threeIntervals(): void {
    const gauge: Gauge = new Gauge({
      name: 'scheduling_task_three_intervals_seconds',
      help: 'Time from the last progress of the job to the third scheduled run after it.',
      labelNames,
      registers: [this.registry],
      collect: () => {
        for (const [task, milliseconds] of this.scheduler.listThreeIntervalsMs())
          gauge.set({ task }, milliseconds / 1000);
      },
    });
  }

  /** Copies the scheduler's counters at each scrape. */
  private counter(): void {
    const counter: Counter = new Counter({
      name: 'scheduling_task_runs_total',
      help: 'Runs of the job that have ended, by outcome.',
      labelNames: [...labelNames, 'outcome'],
      registers: [this.registry],
      collect: () => {
        counter.reset();
        for (const { name, successes, failures } of this.scheduler.listJobStatuses()) {
          counter.inc({ task: name, outcome: 'success' }, successes);
          counter.inc({ task: name, outcome: 'failure' }, failures);
        }
      },
    });
  }
}
