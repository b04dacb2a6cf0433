import type { FactoryProvider } from '@nestjs/common';
import { DatabaseMetrics } from './database-metrics.js';
import type { MetricsQuery } from './metrics-query.js';

/** Returns a provider that registers a module's metrics query. */
export function provideMetricsQuery<Column extends string>(query: MetricsQuery<Column>): FactoryProvider {
  return {
    provide: Symbol('metrics query'),
    inject: [DatabaseMetrics],
    useFactory: (metrics: DatabaseMetrics) => {
      metrics.register(query);
      return query;
    },
  };
}
