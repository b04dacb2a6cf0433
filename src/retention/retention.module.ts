import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/index.js';
import { DirectoryModule } from '../directory/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import { SessionModule } from '../session/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { RetentionSetting } from './domain/retention-setting.entity.js';
import { RetentionController } from './retention.controller.js';
import { RetentionService } from './retention.service.js';
import { RetentionSettingsReader } from './retention-settings.reader.js';
import { RetentionJob } from './run/retention.job.js';
import { RetentionMetrics } from './run/retention.metrics.js';
import { RetentionRun } from './run/retention.run.js';

/** Stores how long a Clinic keeps each kind of data, and removes older data with a scheduled job. */
@Module({
  imports: [SchedulerModule, DirectoryModule, SessionModule, AuditModule],
  controllers: [RetentionController],
  providers: [
    RetentionSettingsReader,
    RetentionService,
    RetentionRun,
    RetentionJob,
    RetentionMetrics,
    provideAuditRecordKinds({ retention: {} }),
  ],
})
export class RetentionModule {
  static readonly entities = [RetentionSetting] as const;
}
