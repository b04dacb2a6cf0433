import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { RETENTION_KINDS, type RetentionKind } from '../domain/retention-period.js';

/** Metrics of removed data. The scheduler itself measures when the job last succeeded and how long it took. */
@Injectable()
export class RetentionMetrics {
  private readonly removed: Counter<'kind'>;
  private readonly partitions: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.removed = new Counter({
      name: 'scheduling_retention_removed_total',
      help: 'Records that this instance has removed because their retention has ended, by kind.',
      labelNames: ['kind'],
      registers,
    });
    this.partitions = new Counter({
      name: 'scheduling_retention_retired_partitions_total',
      help: 'Monthly partitions of the audit trail that this instance has dropped as a whole.',
      registers,
    });
    // Prometheus sees no increase in a counter that first appears with a value.
    for (const kind of RETENTION_KINDS) this.removed.inc({ kind }, 0);
  }

  countRemoved(kind: RetentionKind, count: number): void {
    this.removed.inc({ kind }, count);
  }

  countPartitions(count: number): void {
    this.partitions.inc(count);
  }
}
