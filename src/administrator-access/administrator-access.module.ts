import { Module } from '@nestjs/common';
import { DirectoryModule } from '../directory/index.js';
import { provideAuditRecords } from '../shared/audit-records/index.js';
import { AdminAccessController, ClinicAdministratorAccessController } from './administrator-access.controller.js';
import { AdministratorAccessService } from './administrator-access.service.js';

/** Gives administrators time-limited read access to a Clinic's data, provided that they state a reason. */
@Module({
  imports: [DirectoryModule],
  controllers: [AdminAccessController, ClinicAdministratorAccessController],
  providers: [AdministratorAccessService, provideAuditRecords({ 'administrator-access': {} })],
  exports: [AdministratorAccessService],
})
export class AdministratorAccessModule {}
