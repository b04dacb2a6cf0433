import { Module } from '@nestjs/common';
import { DirectoryModule } from '../directory/index.js';
import { DesignPlanController } from './design-plan.controller.js';
import { DesignPlanService } from './design-plan.service.js';

/** Plans and their weeks. */
@Module({
  imports: [DirectoryModule],
  controllers: [DesignPlanController],
  providers: [DesignPlanService],
  exports: [DesignPlanService],
})
export class DesignPlanModule {}
