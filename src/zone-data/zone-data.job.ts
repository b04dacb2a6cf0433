import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../scheduler/index.js';
import { ZoneDataRecomputation } from './zone-data.recomputation.js';
import { ZoneDataState } from './zone-data.state.js';

/** The job's name. */
export const ZONE_DATA_JOB = 'zone-data';
/** An instance with older data notices newer data within this time, in milliseconds. */
const INTERVAL_MS = 5_000;

/** Brings the database to the time zone data of this instance where that is newer, and notices where it is older. */
@Injectable()
export class ZoneDataJob implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly state: ZoneDataState,
    private readonly recomputation: ZoneDataRecomputation,
  ) {}

  /** Before the first request it is known whether this instance may write. */
  async onApplicationBootstrap(): Promise<void> {
    await this.adoptAndRefresh();
    const run = async (progress: () => void) => {
      await this.adoptAndRefresh();
      if (this.state.hasPendingWork) await this.recomputation.recompute(progress);
    };
    this.scheduler.register({ name: ZONE_DATA_JOB, every: INTERVAL_MS, run, runsAtStart: true });
  }

  private async adoptAndRefresh(): Promise<void> {
    await this.state.refresh();
    const { databaseVersion, version } = this.state;
    if (databaseVersion !== undefined && databaseVersion >= version) return;
    await this.recomputation.adopt();
    await this.state.refresh();
  }
}
