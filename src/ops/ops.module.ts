import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ReminderModule } from '../reminder/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { Stopping } from './stopping.js';

/** Health and metrics. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false }), ReminderModule, SchedulerModule],
  controllers: [HealthController, MetricsController],
  providers: [Metrics, Stopping],
  exports: [Metrics, Stopping],
})
export class OpsModule {}
