import { Module } from '@nestjs/common';
import { DirectoryModule } from '../directory/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import { provideAuditRecords } from '../shared/audit-records/index.js';
import { provideMetricsQuery } from '../shared/metrics/index.js';
import { AdminAuditController, ClinicAuditController } from './audit.controller.js';
import { auditReading } from './audit-reading.js';
import { AuditReader } from './audit.reader.js';
import { AuditScheduler } from './audit.scheduler.js';
import { AuditSealer } from './audit.sealer.js';
import { AuditTrail } from './audit-trail.js';
import { DenialRecorder } from './denial-recorder.js';
import { PendingCommands } from './pending-commands.js';

/** Who did what, and when: written with every request, sealed, and read by whom it concerns. */
@Module({
  imports: [DirectoryModule, SchedulerModule],
  controllers: [ClinicAuditController, AdminAuditController],
  providers: [
    AuditTrail,
    DenialRecorder,
    AuditSealer,
    AuditScheduler,
    AuditReader,
    PendingCommands,
    provideMetricsQuery(auditReading),
    // The records of an entry were disclosed when the entry was written.
    provideAuditRecords({ audit: { isNamed: false } }),
  ],
  exports: [AuditTrail, AuditSealer],
})
export class AuditModule {}
