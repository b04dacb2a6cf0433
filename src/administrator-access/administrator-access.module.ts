import { Module } from '@nestjs/common';
import { DirectoryModule } from '../directory/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import {
  AdminAdministratorAccessController,
  ClinicAdministratorAccessController,
} from './administrator-access.controller.js';
import { AdministratorAccessService } from './administrator-access.service.js';

/** Gives administrators time-limited read access to a Clinic's data, provided that they state a reason. */
@Module({
  imports: [DirectoryModule],
  controllers: [AdminAdministratorAccessController, ClinicAdministratorAccessController],
  providers: [AdministratorAccessService, provideAuditRecordKinds({ 'administrator-access': {} })],
  exports: [AdministratorAccessService],
})
export class AdministratorAccessModule {}
