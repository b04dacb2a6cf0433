import { Module } from '@nestjs/common';
import { SchedulerModule } from '../scheduler/index.js';
import { SessionModule } from '../session/index.js';
import { Recomputation } from './recomputation.js';
import { ZoneDataMetrics } from './zone-data.metrics.js';
import { ZoneDataScheduler } from './zone-data.scheduler.js';
import { ZoneDataState } from './zone-data.state.js';

/** Keeps instants in step with the time zone data: which version is in use, and what it moves. */
@Module({
  imports: [SchedulerModule, SessionModule],
  providers: [Recomputation, ZoneDataMetrics, ZoneDataScheduler, ZoneDataState],
  exports: [Recomputation, ZoneDataState],
})
export class ZoneDataModule {}
