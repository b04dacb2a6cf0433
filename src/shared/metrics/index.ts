export { DatabaseMetrics } from './database-metrics.js';
export { COUNTED_UP_TO, type DatabaseReading } from './database-reading.js';
export { PoolMetrics, type ConnectionPool } from './pool-metrics.js';
export { provideReading } from './provide-reading.js';
