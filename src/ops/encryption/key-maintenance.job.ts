import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../../scheduler/index.js';
import { FieldEncryption } from '../../shared/persistence/index.js';

const KEY_MAINTENANCE_JOB = 'encryption-keys';
const INTERVAL_MS = 30_000;

/** Synchronises new data keys of the key store, checks Vault and renews the token for it, on each instance. */
@Injectable()
export class KeyMaintenanceJob implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly encryption: FieldEncryption,
  ) {}

  onApplicationBootstrap(): void {
    const { keys } = this.encryption;
    if (keys === undefined) return;
    this.scheduler.register({
      name: KEY_MAINTENANCE_JOB,
      every: INTERVAL_MS,
      run: () => keys.maintain(),
      runsAtStart: true,
      // The job must notice an outage of Vault and renew the token even if the clock is unreliable.
      runsWithUnreliableClock: true,
    });
  }
}
