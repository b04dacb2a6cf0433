import { Module } from '@nestjs/common';
import { SchedulerModule } from '../scheduler/index.js';
import { SessionModule } from '../session/index.js';
import { ZoneDataRecomputation } from './zone-data.recomputation.js';
import { ZoneDataMetrics } from './zone-data.metrics.js';
import { ZoneDataJob } from './zone-data.job.js';
import { ZoneDataState } from './zone-data.state.js';
import { ZoneDataAdoption } from './zone-data.entity.js';

/** Keeps instants in step with the time zone data: which version is in use, and what it moves. */
@Module({
  imports: [SchedulerModule, SessionModule],
  providers: [ZoneDataRecomputation, ZoneDataMetrics, ZoneDataJob, ZoneDataState],
  exports: [ZoneDataRecomputation, ZoneDataState],
})
export class ZoneDataModule {
  static readonly entities = [ZoneDataAdoption] as const;
}
