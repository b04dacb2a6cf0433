import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../../scheduler/index.js';
import { ErasureRun } from './erasure.run.js';

export const ERASURE_JOB = 'erasure';
const EVERY_MINUTE = '17 * * * * *';

/**
 * Carries out confirmed erasures: after each confirmation, and at the start and every minute in case an instance has left
 * one unfinished.
 */
@Injectable()
export class ErasureJob implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly erasures: ErasureRun,
  ) {}

  onApplicationBootstrap(): void {
    const run = (progress: () => void) => this.erasures.eraseConfirmed(progress);
    this.scheduler.register({ name: ERASURE_JOB, cron: EVERY_MINUTE, runsAtStart: true, run });
  }
}
