import { Module, type DynamicModule } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ReminderModule } from '../reminder/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import type { Environment } from '../shared/config/env.js';
import { ZoneDataModule } from '../zone-data/index.js';
import { DatabaseChecks } from './health/database.checks.js';
import { HealthController } from './health/health.controller.js';
import { InstanceChecks } from './health/instance.checks.js';
import { InstanceMetrics } from './health/instance.metrics.js';
import { ReadinessService } from './health/readiness.service.js';
import { readMetricsEnvironment } from './metrics/metrics-environment.js';
import { KeyMaintenanceJob } from './encryption/key-maintenance.job.js';
import { EncryptionMetrics } from './metrics/encryption.metrics.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { MetricsServer } from './metrics/metrics.server.js';
import { Metrics } from './metrics/metrics.js';
import { GracefulShutdown } from './process/graceful-shutdown.js';

/** Health checks, metrics and graceful shutdown. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false }), ReminderModule, SchedulerModule, ZoneDataModule],
  controllers: [HealthController],
  providers: [
    EncryptionMetrics,
    KeyMaintenanceJob,
    Metrics,
    DatabaseChecks,
    InstanceChecks,
    ReadinessService,
    InstanceMetrics,
    MetricsServer,
    GracefulShutdown,
  ],
  exports: [Metrics, MetricsServer, GracefulShutdown],
})
export class OpsModule {
  /** If metrics have a separate port, they are not served by the API. */
  static forRoot(environment: Environment): DynamicModule {
    const { port } = readMetricsEnvironment(environment);
    return { module: OpsModule, controllers: port === undefined ? [MetricsController] : [] };
  }
}
