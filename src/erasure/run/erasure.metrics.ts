import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { SUBJECT_KINDS, type SubjectKind } from '../../shared/erasure/index.js';

/** Metrics of the erasure job. The scheduler itself measures when the job last succeeded and how long it took. */
@Injectable()
export class ErasureMetrics {
  private readonly finished: Counter<'kind'>;

  constructor(registry: Registry) {
    this.finished = new Counter({
      name: 'scheduling_erasures_total',
      help: 'Erasures that this instance has finished, by kind of subject.',
      labelNames: ['kind'],
      registers: [registry],
    });
    // Prometheus sees no increase in a counter that first appears with a value.
    for (const kind of SUBJECT_KINDS) this.finished.inc({ kind }, 0);
  }

  countFinished(kind: SubjectKind): void {
    this.finished.inc({ kind });
  }
}
