import { Module } from '@nestjs/common';
import { DesignPlanModule } from '../design-plan/index.js';
import { DirectoryModule } from '../directory/index.js';
import { ReminderModule } from '../reminder/index.js';
import { ClientHomeworkController } from './client-homework.controller.js';
import { ClientSessionController } from './client-session.controller.js';
import { ClientSessionReader } from './client-session.reader.js';
import { HomeworkReader } from './homework.reader.js';
import { HomeworkService } from './homework.service.js';
import { PlanApplicationController } from './plan-application.controller.js';
import { PlanApplicationService } from './plan-application.service.js';
import { ScheduleConflicts } from './schedule-conflicts.js';
import { SeriesEditor } from './series-editor.js';
import { SeriesRevisionService } from './series-revision.service.js';
import { SeriesWriter } from './series-writer.js';
import { CaregiverSeriesController, ClinicSeriesController } from './series.controller.js';
import { SeriesService } from './series.service.js';
import { SessionDigestReader } from './session-digest.reader.js';
import { CaregiverSessionDigestController, ClinicSessionDigestController } from './session-digest.controller.js';
import { CaregiverSessionController, ClinicSessionController } from './session-life.controller.js';
import { SessionDepartures } from './session-departures.js';
import { SessionLifeService } from './session-life.service.js';
import { SessionParties } from './session-parties.js';
import { SessionController } from './session.controller.js';
import { SessionSubjects } from './session-subjects.js';
import { SessionTimes } from './session-times.js';
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
    CaregiverSessionDigestController,
    ClinicSessionDigestController,
    ClientSessionController,
    ClientHomeworkController,
  ],
  providers: [
    SessionService,
    SessionReader,
    SessionLifeService,
    SessionParties,
    SeriesService,
    SeriesRevisionService,
    SeriesEditor,
    SeriesWriter,
    PlanApplicationService,
    ScheduleConflicts,
    SessionDepartures,
    SessionSubjects,
    SessionTimes,
    SessionDigestReader,
    ClientSessionReader,
    HomeworkReader,
    HomeworkService,
  ],
  exports: [SessionReader, SessionTimes],
})
export class SessionModule {}
