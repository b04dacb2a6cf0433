export { DatabaseMetrics, type DatabaseReading } from './database-metrics.js';
export { PoolMetrics, type ConnectionPool } from './pool-metrics.js';
