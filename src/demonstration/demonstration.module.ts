import { Module } from '@nestjs/common';
import { AdministratorAccessModule } from '../administrator-access/index.js';
import { AuditModule } from '../audit/index.js';
import { AuthModule } from '../auth/index.js';
import { CalendarModule } from '../calendar/index.js';
import { DesignPlanModule } from '../design-plan/index.js';
import { DirectoryModule } from '../directory/index.js';
import { ErasureModule } from '../erasure/index.js';
import { ReminderModule } from '../reminder/index.js';
import { SessionModule } from '../session/index.js';
import { TokenHolderModule } from '../token-holder/index.js';
import { DemonstrationCareSteps } from './demonstration-care-steps.js';
import { DemonstrationCare } from './demonstration-care.js';
import { DemonstrationErasures } from './demonstration-erasures.js';
import { DemonstrationSettings } from './demonstration-settings.js';
import { Demonstration } from './demonstration.js';

/** Fills an empty embedded database with example records. */
@Module({
  imports: [
    ...[AuditModule, AuthModule, CalendarModule, DesignPlanModule, DirectoryModule, ReminderModule, SessionModule],
    ...[AdministratorAccessModule, TokenHolderModule, ErasureModule],
  ],
  providers: [Demonstration, DemonstrationCare, DemonstrationCareSteps, DemonstrationSettings, DemonstrationErasures],
})
export class DemonstrationModule {}
