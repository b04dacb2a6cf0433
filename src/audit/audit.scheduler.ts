import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../scheduler/index.js';
import { Environment } from '../shared/env.js';
import { AuditSealer } from './audit.sealer.js';

const SEAL = 'audit-seal';

/** Seals the audit trail on `AUDIT_CRON`. Every instance tries; one does it. */
@Injectable()
export class AuditScheduler implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly environment: Environment,
    private readonly sealer: AuditSealer,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduler.register({ name: SEAL, cron: this.environment.auditCron, run: () => this.sealer.seal() });
  }
}
