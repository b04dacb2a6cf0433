import { Module } from '@nestjs/common';
import { DirectoryModule } from '../directory/index.js';
import { LimitsModule } from '../limits/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { provideMetricsQuery } from '../shared/metrics/index.js';
import { AdminAuditController, ClinicAuditController } from './reading/audit.controller.js';
import { AuditRetention } from './retention/audit-retention.js';
import { auditMetricsQuery } from './audit-metrics.js';
import { ClientAuditSource } from './reading/client-audit.source.js';
import { AuditReader } from './reading/audit.reader.js';
import { AuditJobs } from './audit.jobs.js';
import { AuditSealer } from './sealing/audit.sealer.js';
import { AuditTrail } from './trail/audit-trail.js';
import { DeniedRequestRecorder } from './trail/denied-request.recorder.js';
import { PendingCommandRecorder } from './command/pending-command.recorder.js';
import { AuditEntry } from './trail/audit-entry.entity.js';
import { PendingCommand } from './command/pending-command.entity.js';
import { AuditRetirement } from './sealing/audit-retirement.entity.js';
import { AuditSeal, UnsealedAuditEntry } from './sealing/audit-seal.entity.js';

/** The audit trail. Its entries record requests, are sealed in hash chains, and can be read by their Clinic. */
@Module({
  imports: [DirectoryModule, LimitsModule, SchedulerModule],
  controllers: [ClinicAuditController, AdminAuditController],
  providers: [
    AuditTrail,
    DeniedRequestRecorder,
    AuditSealer,
    AuditJobs,
    AuditRetention,
    AuditReader,
    ClientAuditSource,
    PendingCommandRecorder,
    provideMetricsQuery(auditMetricsQuery),
    // An entry about a read of the audit trail does not name the entries, because they name their records themselves.
    provideAuditRecordKinds({ audit: { isNamed: false } }),
  ],
  exports: [AuditTrail, AuditSealer, AuditRetention, ClientAuditSource],
})
export class AuditModule {
  static readonly entities = [AuditEntry, AuditRetirement, AuditSeal, UnsealedAuditEntry, PendingCommand] as const;
}
