import { Module } from '@nestjs/common';
import { DesignPlanModule } from '../design-plan/index.js';
import { DirectoryModule } from '../directory/index.js';
import { ReminderModule } from '../reminder/index.js';
import { provideAuditRecords } from '../shared/audit-records/index.js';
import { ClientHomeworkController } from './homework/client-homework.controller.js';
import { ClientSessionController } from './reading/client-session.controller.js';
import { ClientSessionReader } from './reading/client-session.reader.js';
import { HomeworkReader } from './homework/homework.reader.js';
import { HomeworkService } from './homework/homework.service.js';
import { PlanApplicationController } from './booking/plan-application.controller.js';
import { PlanApplicationService } from './booking/plan-application.service.js';
import { ScheduleConflicts } from './scheduling/schedule-conflicts.js';
import { SeriesEditor } from './scheduling/series-editor.js';
import { SeriesRevisionService } from './series/series-revision.service.js';
import { SeriesWriter } from './scheduling/series-writer.js';
import { CaregiverSeriesController, ClinicSeriesController } from './series/series.controller.js';
import { SeriesService } from './series/series.service.js';
import { SessionDigestReader } from './reading/session-digest.reader.js';
import {
  CaregiverSessionDigestController,
  ClinicSessionDigestController,
} from './reading/session-digest.controller.js';
import { CaregiverSessionController, ClinicSessionController } from './lifecycle/session-lifecycle.controller.js';
import { SessionDeactivation } from './lifecycle/session-deactivation.js';
import { SessionLifecycleService } from './lifecycle/session-lifecycle.service.js';
import { SessionParticipants } from './scheduling/session-participants.js';
import { SessionController } from './booking/session-booking.controller.js';
import { SessionSubjects } from './scheduling/session-reminder-source.js';
import { SessionTimes } from './scheduling/session-time-recalculation.js';
import { SessionReader } from './scheduling/session-lookup.js';
import { SessionService } from './booking/session-booking.service.js';

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
    SessionLifecycleService,
    SessionParticipants,
    SeriesService,
    SeriesRevisionService,
    SeriesEditor,
    SeriesWriter,
    PlanApplicationService,
    ScheduleConflicts,
    SessionDeactivation,
    SessionSubjects,
    SessionTimes,
    SessionDigestReader,
    ClientSessionReader,
    HomeworkReader,
    HomeworkService,
    provideAuditRecords({
      session: { references: ['sessionId', 'fromSessionId', 'otherSessionId'], nested: ['sessions', 'previous'] },
      series: { references: ['seriesId'] },
      homework: { references: ['homeworkId'], nested: ['homework'] },
    }),
  ],
  exports: [SessionReader, SessionTimes],
})
export class SessionModule {}
