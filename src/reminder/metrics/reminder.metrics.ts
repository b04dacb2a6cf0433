import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DatabaseMetrics } from '../../shared/metrics/index.js';
import { Clock } from '../../shared/time/index.js';
import { ChannelRegistry } from '../channel/channel-registry.js';
import { listExpectedLabels, toOutcomeLabels, type CountedOutcome } from './reminder-outcome-labels.js';
import { reminderMetricsQuery } from './reminder-readings.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const LATENESS_BUCKETS = [
  1,
  5,
  15,
  30,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  4 * HOUR,
  12 * HOUR,
  24 * HOUR,
];

/** Metrics for reminders. Label values come from fixed lists, so IDs and error texts never become labels. */
@Injectable()
export class ReminderMetrics implements OnApplicationBootstrap {
  private readonly outcomes: Counter;
  private readonly lateness: Histogram;
  private readonly lastDispatch: Gauge;

  constructor(
    private readonly clock: Clock,
    private readonly channels: ChannelRegistry,
    registry: Registry,
    database: DatabaseMetrics,
  ) {
    const registers = [registry];
    this.outcomes = new Counter({
      name: 'scheduling_reminder_outcomes_total',
      help: 'Outcomes of reminders that this instance has written, by channel and reason.',
      labelNames: ['outcome', 'channel', 'reason'],
      registers,
    });
    this.lateness = new Histogram({
      name: 'scheduling_reminder_lateness_seconds',
      help: 'Time from the expected sending time, with quiet hours and redrives, until a channel accepted the message.',
      buckets: LATENESS_BUCKETS,
      registers,
    });
    this.lastDispatch = new Gauge({
      name: 'scheduling_reminder_last_dispatch_timestamp_seconds',
      help: 'When this instance last searched for due reminders, or started if it has not yet.',
      registers,
    });
    database.register(reminderMetricsQuery);
  }

  /** Initialises all counters to 0, because Prometheus sees no increase in a counter that first appears with 1. */
  onApplicationBootstrap(): void {
    for (const labels of listExpectedLabels(this.channels.names)) this.outcomes.inc(labels, 0);
    this.countDispatch();
  }

  /** Must be called after each search for due reminders, even if none were found. */
  countDispatch(): void {
    this.lastDispatch.set(this.clock.now().epochMilliseconds / 1000);
  }

  countOutcomes(outcomes: readonly CountedOutcome[]): void {
    for (const outcome of outcomes) this.outcomes.inc(toOutcomeLabels(outcome, this.channels.names));
  }

  /** @param expectedAt when the reminder should have been sent */
  countLateness(expectedAt: Temporal.Instant, sentAt: Temporal.Instant): void {
    this.lateness.observe(Math.max(0, sentAt.since(expectedAt).total('seconds')));
  }
}
