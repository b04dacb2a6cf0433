import { AdministratorAccessModule } from './administrator-access/index.js';
import { AuditModule } from './audit/index.js';
import { AuthModule } from './auth/index.js';
import { CalendarModule } from './calendar/index.js';
import { ClientExportModule } from './client-export/index.js';
import { ConsoleModule } from './console/index.js';
import { DemonstrationModule } from './demonstration/index.js';
import { DesignPlanModule } from './design-plan/index.js';
import { DirectoryModule } from './directory/index.js';
import { ErasureModule } from './erasure/index.js';
import { InstanceModule } from './instance/index.js';
import { LimitsModule } from './limits/index.js';
import { ReminderModule } from './reminder/index.js';
import { RequestModule } from './request/index.js';
import { RetentionModule } from './retention/index.js';
import { SchedulerModule } from './scheduler/index.js';
import { SessionModule } from './session/index.js';
import { TokenHolderModule } from './token-holder/index.js';
import { ZoneDataModule } from './zone-data/index.js';

/** All modules except `ops`. Add new modules here. A module's static property `entities` lists its entities. */
export const MODULES = [
  SchedulerModule,
  InstanceModule,
  AuthModule,
  LimitsModule,
  RequestModule,
  DirectoryModule,
  TokenHolderModule,
  AdministratorAccessModule,
  DesignPlanModule,
  ReminderModule,
  SessionModule,
  CalendarModule,
  AuditModule,
  ClientExportModule,
  RetentionModule,
  ErasureModule,
  ZoneDataModule,
  DemonstrationModule,
  ConsoleModule,
] as const;
