import { Injectable, Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';

/** What this instance does again and again. A failed tick loses nothing: what it left is found by the next one. */
@Injectable()
export class Ticks {
  private readonly logger = new Logger(Ticks.name);

  constructor(private readonly registry: SchedulerRegistry) {}

  /** @param cronTime in UTC, seconds first */
  every(cronTime: string, name: string, work: () => Promise<unknown>): void {
    const job = CronJob.from({
      cronTime,
      onTick: () => this.attempt(name, work),
      // A tick that takes longer than the interval is not started twice.
      waitForCompletion: true,
      timeZone: 'UTC',
    });
    this.registry.addCronJob(name, job);
    job.start();
  }

  /** One tick; its failure is told and goes no further. */
  async attempt(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.error({ job: name, error: error instanceof Error ? error.name : typeof error }, 'a tick failed');
    }
  }

  /** Starts none any more, and waits for the ones at work. */
  async stop(...names: string[]): Promise<void> {
    for (const name of names) {
      if (this.registry.doesExist('cron', name)) await this.registry.getCronJob(name).stop();
    }
  }
}
