import { Module } from '@nestjs/common';
import { DesignPlanModule } from '../design-plan/index.js';
import { DirectoryModule } from '../directory/index.js';
import { ReminderModule } from '../reminder/index.js';
import { PlanApplicationController } from './plan-application.controller.js';
import { PlanApplicationService } from './plan-application.service.js';
import { ScheduleConflicts } from './schedule-conflicts.js';
import { SeriesEditor } from './series-editor.js';
import { SeriesReport } from './series-report.js';
import { SeriesRevisionService } from './series-revision.service.js';
import { SeriesWriter } from './series-writer.js';
import { CaregiverSeriesController, ClinicSeriesController } from './series.controller.js';
import { SeriesService } from './series.service.js';
import { CaregiverSessionController, ClinicSessionController } from './session-life.controller.js';
import { SessionLifeService } from './session-life.service.js';
import { SessionParties } from './session-parties.js';
import { SessionController } from './session.controller.js';
import { SessionReader } from './session.reader.js';
import { SessionService } from './session.service.js';

/** Sessions, series, homework. */
@Module({
  imports: [DirectoryModule, DesignPlanModule, ReminderModule],
  controllers: [
    SessionController,
    CaregiverSessionController,
    ClinicSessionController,
    CaregiverSeriesController,
    ClinicSeriesController,
    PlanApplicationController,
  ],
  providers: [
    SessionService,
    SessionReader,
    SessionLifeService,
    SessionParties,
    SeriesService,
    SeriesRevisionService,
    SeriesEditor,
    SeriesReport,
    SeriesWriter,
    PlanApplicationService,
    ScheduleConflicts,
  ],
  exports: [SessionReader],
})
export class SessionModule {}
