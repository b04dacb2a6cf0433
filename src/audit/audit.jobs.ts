import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Scheduler } from '../scheduler/index.js';
import { Environment } from '../shared/config/env.js';
import { AuditSealer } from './sealing/audit.sealer.js';
import { DeniedRequestRecorder } from './trail/denied-request.recorder.js';

const SEAL_JOB = 'audit-seal';
const REPEATED_REQUESTS_JOB = 'audit-repeated-denials';
const REPEATED_REQUESTS_INTERVAL_MS = 10_000;

/**
 * Audit trail jobs: sealing entries on `AUDIT_CRON` (one instance at a time) and writing entries for repeated denied
 * requests.
 */
@Injectable()
export class AuditJobs implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly environment: Environment,
    private readonly sealer: AuditSealer,
    private readonly deniedRequests: DeniedRequestRecorder,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduler.register({ name: SEAL_JOB, cron: this.environment.auditCron, run: () => this.sealer.seal() });
    const run = () => this.deniedRequests.writeRepeated();
    this.scheduler.register({ name: REPEATED_REQUESTS_JOB, every: REPEATED_REQUESTS_INTERVAL_MS, run });
  }
}
