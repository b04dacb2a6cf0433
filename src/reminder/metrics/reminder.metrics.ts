import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DatabaseMetrics, PoolMetrics } from '../../shared/metrics/index.js';
import { Clock } from '../../shared/time/index.js';
import { Channels } from '../channel/channel-registry.js';
import { expectedLabels, labelsOf, type CountedOutcome } from './reminder-outcome-labels.js';
import { queueReading, reminderReading } from './reminder-readings.js';
import { ReminderQueue } from '../queue/reminder.queue.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const LATENESS = [1, 5, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, 24 * HOUR];

/** Metrics of reminders. Labels come from closed lists, so that no id, no person and no error text gets into one. */
@Injectable()
export class ReminderMetrics implements OnApplicationBootstrap {
  private readonly outcomes: Counter;
  private readonly lateness: Histogram;
  private readonly lastDispatch: Gauge;

  constructor(
    private readonly clock: Clock,
    private readonly channels: Channels,
    registry: Registry,
    database: DatabaseMetrics,
    pools: PoolMetrics,
    queue: ReminderQueue,
  ) {
    const registers = [registry];
    this.outcomes = new Counter({
      name: 'scheduling_reminder_outcomes_total',
      help: 'What this instance has done with reminders, by channel and reason.',
      labelNames: ['outcome', 'channel', 'reason'],
      registers,
    });
    this.lateness = new Histogram({
      name: 'scheduling_reminder_lateness_seconds',
      help: 'Time from when a reminder was to be sent, after quiet hours and redrives, until a channel took it.',
      buckets: LATENESS,
      registers,
    });
    this.lastDispatch = new Gauge({
      name: 'scheduling_reminder_last_dispatch_timestamp_seconds',
      help: 'When this instance last looked for due reminders; until then, when it started.',
      registers,
    });
    database.register(reminderReading);
    database.register(queueReading);
    pools.register('queue', () => queue.pool);
  }

  /** Counters begin at 0: of one that begins at 1, Prometheus sees no increase. */
  onApplicationBootstrap(): void {
    for (const labels of expectedLabels(this.channels.names)) this.outcomes.inc(labels, 0);
    this.countDispatch();
  }

  /** The dispatch has looked for due reminders, and may have found none. */
  countDispatch(): void {
    this.lastDispatch.set(this.clock.now().epochMilliseconds / 1000);
  }

  countOutcomes(outcomes: readonly CountedOutcome[]): void {
    for (const outcome of outcomes) this.outcomes.inc(labelsOf(outcome, this.channels.names));
  }

  /** @param expectedAt when the reminder was to be sent */
  countLateness(expectedAt: Temporal.Instant, sentAt: Temporal.Instant): void {
    this.lateness.observe(Math.max(0, sentAt.since(expectedAt).total('seconds')));
  }
}
