import { Module } from '@nestjs/common';
import { DesignPlanModule } from '../design-plan/index.js';
import { DirectoryModule } from '../directory/index.js';
import { ReminderModule } from '../reminder/index.js';
import { SessionController } from './session.controller.js';
import { SessionService } from './session.service.js';

/** Sessions, series, homework. */
@Module({
  imports: [DirectoryModule, DesignPlanModule, ReminderModule],
  controllers: [SessionController],
  providers: [SessionService],
})
export class SessionModule {}
