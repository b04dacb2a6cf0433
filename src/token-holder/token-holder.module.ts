import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { CalendarModule } from '../calendar/index.js';
import { DirectoryModule } from '../directory/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { AdminTokenHolderController, ClinicTokenHolderController } from './token-holder.controller.js';
import { TokenHolderService } from './token-holder.service.js';

/** Revokes all tokens of a subject or of a directory record. */
@Module({
  imports: [AuthModule, CalendarModule, DirectoryModule],
  controllers: [AdminTokenHolderController, ClinicTokenHolderController],
  providers: [TokenHolderService, provideAuditRecordKinds({ 'revoked-token-holder': { nameFields: ['record'] } })],
  exports: [TokenHolderService],
})
export class TokenHolderModule {}
