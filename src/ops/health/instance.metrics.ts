import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { setTimeout as delay } from 'node:timers/promises';
import { Clock } from '../../shared/time/index.js';
import { ReadinessService } from './readiness.service.js';

/** How long check results are cached. */
const CACHE_MS = 3_000;
/** The maximum time that a scrape waits for the checks. */
const DEADLINE_MS = 2_000;

/** Metrics for the instance: its readiness and the offset of its machine clock. */
@Injectable()
export class InstanceMetrics {
  private readonly ready: Gauge;
  private checking: Promise<void> | undefined;
  private checkedAt = Number.NEGATIVE_INFINITY;

  constructor(
    registry: Registry,
    clock: Clock,
    private readonly readiness: ReadinessService,
  ) {
    this.ready = new Gauge({
      name: 'scheduling_instance_ready',
      help: 'Whether the checks of /health/ready pass.',
      registers: [registry],
      collect: () => this.collect(),
    });
    const clockSkew: Gauge = new Gauge({
      name: 'scheduling_clock_skew_seconds',
      help: 'Seconds by which the machine clock is ahead of the database clock.',
      registers: [registry],
      collect: () => clockSkew.set(clock.machineOffset / 1000),
    });
  }

  private async collect(): Promise<void> {
    if (performance.now() - this.checkedAt < CACHE_MS) return;
    this.checking ??= this.checkNow().finally(() => (this.checking = undefined));
    const isLate = await Promise.race([this.checking.then(() => false), delay(DEADLINE_MS, true, { ref: false })]);
    if (isLate) this.ready.set(0);
  }

  private async checkNow(): Promise<void> {
    const isReady = await this.readiness.check().then(
      () => true,
      () => false,
    );
    this.ready.set(isReady ? 1 : 0);
    this.checkedAt = performance.now();
  }
}
