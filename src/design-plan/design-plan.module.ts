import { Module } from '@nestjs/common';
import { DirectoryModule } from '../directory/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { CareProviderDesignPlanController } from './care-provider-design-plan.controller.js';
import { DesignPlanRevisionController } from './design-plan-revision.controller.js';
import { DesignPlanCopyController } from './design-plan-copy.controller.js';
import { DesignPlanController } from './design-plan.controller.js';
import { DesignPlanExportSource } from './design-plan-export.source.js';
import { DesignPlanNameSearch } from './design-plan-name-search.js';
import { DesignPlanReader } from './design-plan.reader.js';
import { DesignPlanService } from './design-plan.service.js';
import { DesignPlan } from './domain/design-plan.entity.js';
import { DesignPlanRevision } from './domain/design-plan-revision.entity.js';

/** Design Plans and their revisions. */
@Module({
  imports: [DirectoryModule],
  controllers: [
    DesignPlanController,
    DesignPlanCopyController,
    DesignPlanRevisionController,
    CareProviderDesignPlanController,
  ],
  providers: [
    DesignPlanService,
    DesignPlanReader,
    DesignPlanNameSearch,
    DesignPlanExportSource,
    provideAuditRecordKinds({ 'design-plan': {} }),
  ],
  exports: [DesignPlanService, DesignPlanReader, DesignPlanExportSource],
})
export class DesignPlanModule {
  static readonly entities = [DesignPlan, DesignPlanRevision] as const;
}
