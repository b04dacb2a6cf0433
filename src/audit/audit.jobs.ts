import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Scheduler } from '../scheduler/index.js';
import { Environment } from '../shared/config/env.js';
import { AuditRetention } from './retention/audit-retention.js';
import { AuditSealer } from './sealing/audit.sealer.js';
import { DeniedRequestRecorder } from './trail/denied-request.recorder.js';

const SEAL_JOB = 'audit-seal';
const PARTITIONS_JOB = 'audit-partitions';
const EVERY_HOUR = '20 7 * * * *';
/** How long an instance that stops seals, because its process must end in time. Another instance seals the rest. */
const LAST_SEAL_MS = 1_000;
const REPEATED_REQUESTS_JOB = 'audit-repeated-denials';
const REPEATED_REQUESTS_INTERVAL_MS = 10_000;

/**
 * Audit trail jobs: sealing entries on the schedule `AUDIT_CRON` (one instance at a time), creating the partitions of
 * the next months, and writing entries for repeated denied requests.
 */
@Injectable()
export class AuditJobs implements OnApplicationBootstrap {
  private isRegistered = false;
  private isStopping = false;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly environment: Environment,
    private readonly sealer: AuditSealer,
    private readonly deniedRequests: DeniedRequestRecorder,
    private readonly retention: AuditRetention,
  ) {}

  onApplicationBootstrap(): void {
    // Instances may stop at the same time, and the one that is sealing may not have seen the last entries of this one.
    const seal = (progress: () => void) => this.sealer.seal(progress, { waits: this.isStopping });
    this.scheduler.register({ name: SEAL_JOB, cron: this.environment.auditCron, run: seal });
    const ensure = () => this.retention.ensurePartitions();
    this.scheduler.register({ name: PARTITIONS_JOB, cron: EVERY_HOUR, run: ensure, runsAtStart: true });
    const run = () => this.deniedRequests.writeRepeated();
    this.scheduler.register({ name: REPEATED_REQUESTS_JOB, every: REPEATED_REQUESTS_INTERVAL_MS, run });
    this.isRegistered = true;
  }

  /** Adds a hook that runs when the service stops, after the last response and before the database is closed. */
  registerHooks(fastify: FastifyInstance): void {
    fastify.addHook('onClose', () => this.finish());
  }

  /** Writes and seals the last entries of this instance, because the audit trail is also verified while none runs. */
  private async finish(): Promise<void> {
    this.isStopping = true;
    await this.deniedRequests.writeRepeated('all');
    if (!this.isRegistered) return;
    const timer = setTimeout(() => void this.scheduler.stop(SEAL_JOB), LAST_SEAL_MS);
    await this.scheduler.run(SEAL_JOB);
    clearTimeout(timer);
  }
}
