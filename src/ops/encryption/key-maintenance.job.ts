import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../../scheduler/index.js';
import { FieldEncryption } from '../../shared/persistence/index.js';

export const KEY_MAINTENANCE_JOB = 'encryption-keys';
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
      // An outage of Vault must be noticed, and the token renewed, whatever the clock says.
      runsWithUnreliableClock: true,
    });
  }
}
