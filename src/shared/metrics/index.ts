export { DatabaseMetrics } from './database-metrics.js';
export { MAX_COUNTED_ROWS, type MetricsQuery } from './metrics-query.js';
export { PoolMetrics, type ConnectionPool } from './pool-metrics.js';
export { provideMetricsQuery } from './provide-metrics-query.js';
