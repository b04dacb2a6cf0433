import type { FactoryProvider } from '@nestjs/common';
import { DatabaseMetrics } from './database-metrics.js';
import type { MetricsQuery } from './metrics-query.js';

/** A provider by which a module adds to the metrics what it reads, where it measures nothing else. */
export function provideMetricsQuery<Column extends string>(reading: MetricsQuery<Column>): FactoryProvider {
  return {
    provide: Symbol('database reading'),
    inject: [DatabaseMetrics],
    useFactory: (metrics: DatabaseMetrics) => {
      metrics.register(reading);
      return reading;
    },
  };
}
