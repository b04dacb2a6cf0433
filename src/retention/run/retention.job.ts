import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../../scheduler/index.js';
import { RetentionSettingsReader } from '../retention-settings.reader.js';
import { RetentionRun } from './retention.run.js';

const RETENTION_JOB = 'retention';

/** Removes expired data on the schedule in `RETENTION_CRON`. */
@Injectable()
export class RetentionJob implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly settings: RetentionSettingsReader,
    private readonly retention: RetentionRun,
  ) {}

  onApplicationBootstrap(): void {
    const run = (progress: () => void) => this.retention.removeExpired(progress);
    this.scheduler.register({ name: RETENTION_JOB, cron: this.settings.cron, run });
  }
}
