import { Module } from '@nestjs/common';
import { SchedulerModule } from '../scheduler/index.js';
import { SessionModule } from '../session/index.js';
import { ZoneDataRecomputation } from './zone-data.recomputation.js';
import { ZoneDataMetrics } from './zone-data.metrics.js';
import { ZoneDataJob } from './zone-data.job.js';
import { ZoneDataState } from './zone-data.state.js';
import { ZoneDataAdoption } from './zone-data.entity.js';

/** Recomputes instants when an instance starts with newer time zone data. */
@Module({
  imports: [SchedulerModule, SessionModule],
  providers: [ZoneDataRecomputation, ZoneDataMetrics, ZoneDataJob, ZoneDataState],
  exports: [ZoneDataRecomputation, ZoneDataState],
})
export class ZoneDataModule {
  static readonly entities = [ZoneDataAdoption] as const;
}
