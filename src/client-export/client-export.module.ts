import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/index.js';
import { CalendarModule } from '../calendar/index.js';
import { DesignPlanModule } from '../design-plan/index.js';
import { DirectoryModule } from '../directory/index.js';
import { LimitsModule } from '../limits/index.js';
import { ReminderModule } from '../reminder/index.js';
import { SessionModule } from '../session/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { ClientExportController, ClinicClientExportController } from './client-export.controller.js';
import { ClientExportReader } from './client-export.reader.js';
import { ClientExportService } from './client-export.service.js';

/** Exports the data about one Client. */
@Module({
  imports: [
    DirectoryModule,
    DesignPlanModule,
    ReminderModule,
    SessionModule,
    CalendarModule,
    AuditModule,
    LimitsModule,
  ],
  controllers: [ClinicClientExportController, ClientExportController],
  // For Clients, `export` is the last path segment and no ID of a record. The audit entries name the Client instead.
  providers: [ClientExportService, ClientExportReader, provideAuditRecordKinds({ export: { isNamed: false } })],
})
export class ClientExportModule {
  static readonly entities = [] as const;
}
