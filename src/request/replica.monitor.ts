import { EntityManager } from '@mikro-orm/core';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { Scheduler } from '../scheduler/index.js';
import { PoolMetrics } from '../shared/metrics/index.js';
import { ReplicaDatabase } from '../shared/persistence/index.js';

/** How often the replica is compared with its primary, in milliseconds. */
const INTERVAL_MS = 1_000;

/** Compares the replica with its primary, and measures its lag. Does nothing without a replica. */
@Injectable()
export class ReplicaMonitor implements OnApplicationBootstrap {
  constructor(
    private readonly em: EntityManager,
    private readonly replica: ReplicaDatabase,
    private readonly scheduler: Scheduler,
    registry: Registry,
    pools: PoolMetrics,
  ) {
    const lag: Gauge = new Gauge({
      name: 'scheduling_replica_lag_seconds',
      help: 'Age of the data of the replica. It grows while the replica or the primary does not answer.',
      registers: [registry],
      collect: () => setOrRemove(lag, replica.ageMs === undefined ? undefined : replica.ageMs / 1000),
    });
    const usable: Gauge = new Gauge({
      name: 'scheduling_replica_usable',
      help: 'Whether the replica serves reads. No sample without a replica.',
      registers: [registry],
      collect: () => setOrRemove(usable, replica.isConfigured ? Number(replica.fault === undefined) : undefined),
    });
    pools.register('replica', () => (replica.isConfigured ? replica.pool : undefined));
  }

  onApplicationBootstrap(): void {
    if (!this.replica.isConfigured) return;
    this.scheduler.register({
      name: 'replica',
      every: INTERVAL_MS,
      run: () => this.replica.observe(this.em),
      // The job may run with an unreliable clock, because it measures the lag with the monotonic clock.
      runsWithUnreliableClock: true,
      runsAtStart: true,
    });
  }
}

function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}
