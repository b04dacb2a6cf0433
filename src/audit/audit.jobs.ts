import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../scheduler/index.js';
import { Environment } from '../shared/config/env.js';
import { AuditSealer } from './sealing/audit.sealer.js';
import { DenialRecorder } from './trail/denied-request.recorder.js';

const SEAL = 'audit-seal';
const DENIALS = 'audit-repeated-denials';
const DENIALS_EVERY_MS = 10_000;

/** Seals the audit trail on `AUDIT_CRON` (every instance tries; one does it), and writes what was counted of denials. */
@Injectable()
export class AuditScheduler implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly environment: Environment,
    private readonly sealer: AuditSealer,
    private readonly denials: DenialRecorder,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduler.register({ name: SEAL, cron: this.environment.auditCron, run: () => this.sealer.seal() });
    const run = () => this.denials.writeRepeated();
    this.scheduler.register({ name: DENIALS, every: DENIALS_EVERY_MS, run });
  }
}
