import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { Environment } from '../shared/env.js';
import { AuditSealer } from './audit.sealer.js';

const SEAL = 'audit-seal';

/** Seals the audit trail on `AUDIT_CRON`. Every instance tries; one does it. */
@Injectable()
export class AuditScheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(AuditScheduler.name);

  constructor(
    private readonly registry: SchedulerRegistry,
    private readonly environment: Environment,
    private readonly sealer: AuditSealer,
  ) {}

  onApplicationBootstrap(): void {
    const job = CronJob.from({
      cronTime: this.environment.auditCron,
      onTick: () => this.run(),
      // A tick that takes longer than the interval is not started twice.
      waitForCompletion: true,
      timeZone: 'UTC',
    });
    this.registry.addCronJob(SEAL, job);
    job.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.registry.doesExist('cron', SEAL)) await this.registry.getCronJob(SEAL).stop();
  }

  /** A failed tick loses nothing: what waits is found by the next one. */
  private async run(): Promise<void> {
    try {
      await this.sealer.seal();
    } catch (error) {
      this.logger.error({ job: SEAL, error: error instanceof Error ? error.name : typeof error }, 'a tick failed');
    }
  }
}
