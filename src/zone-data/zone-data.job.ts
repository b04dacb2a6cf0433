import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../scheduler/index.js';
import { ZoneDataRecomputation } from './zone-data.recomputation.js';
import { ZoneDataState } from './zone-data.state.js';

const ZONE_DATA_JOB = 'zone-data';
/** Interval at which an instance checks the versions of the time zone data, in milliseconds. */
const INTERVAL_MS = 5_000;

/**
 * Recomputes stored instants if this instance has newer time zone data than the database, and detects if its data is
 * older.
 */
@Injectable()
export class ZoneDataJob implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly state: ZoneDataState,
    private readonly recomputation: ZoneDataRecomputation,
  ) {}

  /** Checks the versions before the first request so that an outdated instance never writes. */
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
