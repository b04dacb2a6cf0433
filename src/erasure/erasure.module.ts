import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { DirectoryModule } from '../directory/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { Erasure } from './domain/erasure.entity.js';
import { LegalHold } from './domain/legal-hold.entity.js';
import { ErasureCounter } from './erasure-counter.js';
import { ErasureSettings } from './erasure-settings.js';
import { ErasureSubjects } from './erasure-subjects.js';
import {
  CareProviderErasureController,
  ClientErasureController,
  ClinicErasureController,
} from './erasure.controller.js';
import { ErasureService } from './erasure.service.js';
import { LegalHoldController } from './legal-hold.controller.js';
import { LegalHoldService } from './legal-hold.service.js';
import { LegalHolds } from './legal-holds.js';
import { ErasureJob } from './run/erasure.job.js';
import { ErasureMetrics } from './run/erasure.metrics.js';
import { ErasureRun } from './run/erasure.run.js';

/** Erasure of Clients, Care Providers and Clinics, and legal holds, which prevent it. */
@Module({
  imports: [SchedulerModule, AuthModule, DirectoryModule],
  controllers: [ClientErasureController, CareProviderErasureController, ClinicErasureController, LegalHoldController],
  providers: [
    ErasureSettings,
    ErasureSubjects,
    ErasureCounter,
    ErasureService,
    ErasureRun,
    ErasureJob,
    ErasureMetrics,
    LegalHolds,
    LegalHoldService,
    provideAuditRecordKinds({ erasure: { references: ['erasureId'] } }),
  ],
  exports: [ErasureService],
})
export class ErasureModule {
  static readonly entities = [Erasure, LegalHold] as const;
}
