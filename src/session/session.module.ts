import { Module } from '@nestjs/common';
import { DesignPlanModule } from '../design-plan/index.js';
import { DirectoryModule } from '../directory/index.js';
import { ReminderModule } from '../reminder/index.js';
import { SchedulerModule } from '../scheduler/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { ClientHomeworkController } from './homework/client-homework.controller.js';
import { ClinicHomeworkController } from './homework/clinic-homework.controller.js';
import { ClientSessionController } from './reading/client-session.controller.js';
import { ClientSessionReader } from './reading/client-session.reader.js';
import { HomeworkIncludes } from './homework/homework-includes.js';
import { HomeworkModelsLoader } from './homework/homework-models.loader.js';
import { HomeworkReader } from './homework/homework.reader.js';
import { HomeworkService } from './homework/homework.service.js';
import { HomeworkSyncReader } from './homework/homework-sync.reader.js';
import { ClinicApplyPlanController, ClinicSessionBookingController } from './booking/clinic-booking.controller.js';
import { ApplyPlanController } from './booking/apply-plan.controller.js';
import { ApplyPlanService } from './booking/apply-plan.service.js';
import { ScheduleConflictFinder } from './scheduling/schedule-conflict-finder.js';
import { SeriesEditor } from './scheduling/series-editor.js';
import { SeriesListReader } from './series/series-list.reader.js';
import { SeriesSyncReader } from './series/series-sync.reader.js';
import { SeriesRevisionService } from './series/series-revision.service.js';
import { SeriesWriter } from './scheduling/series-writer.js';
import { CareProviderSeriesController, ClinicSeriesController } from './series/series.controller.js';
import { SeriesService } from './series/series.service.js';
import { SessionDigestReader } from './reading/session-digest.reader.js';
import {
  CareProviderSessionDigestController,
  ClinicSessionDigestController,
} from './reading/session-digest.controller.js';
import {
  CareProviderSessionLifecycleController,
  ClinicSessionLifecycleController,
} from './lifecycle/session-lifecycle.controller.js';
import { ParticipantChangeHandler } from './lifecycle/participant-changes.js';
import { SessionLifecycleService } from './lifecycle/session-lifecycle.service.js';
import { SessionParticipants } from './scheduling/session-participants.js';
import { SessionBookingController } from './booking/session-booking.controller.js';
import { SessionReminders } from './scheduling/session-reminders.js';
import { SessionDataProvider } from './scheduling/session-data-provider.js';
import { SessionTimeRecomputation } from './scheduling/session-time-recomputation.js';
import { SessionLookup } from './scheduling/session-lookup.js';
import { CareProviderSessionController, ClinicSessionController } from './reading/session.controller.js';
import { ReminderIncludesSource } from './include/reminder-includes.source.js';
import { IncludeLoader } from './include/include.loader.js';
import { SessionDetailsLoader } from './include/session-details.loader.js';
import { CareProviderWeekController, ClientWeekController, ClinicWeekController } from './week/week.controller.js';
import { WeekReader } from './week/week.reader.js';
import { SessionExportSource } from './export/session-export.source.js';
import { SessionRetention } from './retention/session-retention.js';
import { SessionReader } from './reading/session.reader.js';
import { TombstoneCleaner } from './reading/tombstone.cleaner.js';
import { SessionSyncReader } from './reading/session-sync.reader.js';
import { SessionBookingService } from './booking/session-booking.service.js';
import { SessionSeries } from './domain/session-series.entity.js';
import { Session } from './domain/session.entity.js';
import { Homework } from './domain/homework.entity.js';

/** Sessions, series and homework. */
@Module({
  imports: [DirectoryModule, DesignPlanModule, ReminderModule, SchedulerModule],
  controllers: [
    SessionBookingController,
    CareProviderSessionController,
    ClinicSessionController,
    CareProviderSessionLifecycleController,
    ClinicSessionLifecycleController,
    CareProviderSeriesController,
    ClinicSeriesController,
    ApplyPlanController,
    ClinicSessionBookingController,
    ClinicApplyPlanController,
    CareProviderSessionDigestController,
    ClinicSessionDigestController,
    ClientSessionController,
    ClientHomeworkController,
    ClinicHomeworkController,
    CareProviderWeekController,
    ClinicWeekController,
    ClientWeekController,
  ],
  providers: [
    SessionBookingService,
    SessionLookup,
    SessionReader,
    SessionExportSource,
    SessionSyncReader,
    SessionDetailsLoader,
    IncludeLoader,
    ReminderIncludesSource,
    WeekReader,
    SessionLifecycleService,
    SessionParticipants,
    SeriesService,
    SeriesListReader,
    SeriesSyncReader,
    SeriesRevisionService,
    SeriesEditor,
    SeriesWriter,
    ApplyPlanService,
    ScheduleConflictFinder,
    ParticipantChangeHandler,
    SessionReminders,
    SessionDataProvider,
    SessionTimeRecomputation,
    SessionDigestReader,
    SessionRetention,
    ClientSessionReader,
    HomeworkReader,
    HomeworkModelsLoader,
    HomeworkSyncReader,
    HomeworkIncludes,
    HomeworkService,
    TombstoneCleaner,
    provideAuditRecordKinds({
      session: {
        references: ['sessionId', 'sessionIds', 'fromSessionId', 'otherSessionId'],
        nested: ['sessions', 'renumbered', 'previous', 'nextSession'],
      },
      week: {},
      series: { references: ['seriesId'] },
      homework: { references: ['homeworkId'], nested: ['homework'] },
    }),
  ],
  exports: [
    SessionExportSource,
    SessionLookup,
    SessionTimeRecomputation,
    SessionRetention,
    ApplyPlanService,
    SessionBookingService,
    SessionLifecycleService,
    SeriesService,
    HomeworkService,
  ],
})
export class SessionModule {
  static readonly entities = [SessionSeries, Session, Homework] as const;
}
