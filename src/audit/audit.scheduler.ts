import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Environment } from '../shared/env.js';
import { Ticks } from '../shared/schedule/index.js';
import { AuditSealer } from './audit.sealer.js';

const SEAL = 'audit-seal';

/** Seals the audit trail on `AUDIT_CRON`. Every instance tries; one does it. */
@Injectable()
export class AuditScheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly ticks: Ticks,
    private readonly environment: Environment,
    private readonly sealer: AuditSealer,
  ) {}

  onApplicationBootstrap(): void {
    this.ticks.every(this.environment.auditCron, SEAL, () => this.sealer.seal());
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.ticks.stop(SEAL);
  }
}
