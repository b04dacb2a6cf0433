import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { DirectoryModule } from '../directory/index.js';
import { SessionModule } from '../session/index.js';
import { provideAuditRecordKinds } from '../shared/audit-records/index.js';
import { CalendarLinkExportSource } from './calendar-link-export.source.js';
import { CalendarFeedController } from './calendar-feed.controller.js';
import { CareProviderCalendarLinkController, ClientCalendarLinkController } from './calendar-link.controller.js';
import { CalendarLinkService } from './calendar-link.service.js';
import { CalendarOwnerResolver } from './calendar-owner-resolver.js';
import { CalendarExportService } from './calendar-export.service.js';
import {
  CareProviderSessionCalendarController,
  ClientSessionCalendarController,
  ClinicSessionCalendarController,
} from './session-calendar.controller.js';
import { CalendarLink } from './calendar-link.entity.js';

/** Sessions as iCalendar feeds and files. */
@Module({
  imports: [AuthModule, DirectoryModule, SessionModule],
  controllers: [
    CareProviderCalendarLinkController,
    ClientCalendarLinkController,
    CalendarFeedController,
    CareProviderSessionCalendarController,
    ClinicSessionCalendarController,
    ClientSessionCalendarController,
  ],
  providers: [
    CalendarLinkService,
    CalendarExportService,
    CalendarOwnerResolver,
    CalendarLinkExportSource,
    provideAuditRecordKinds({ 'calendar-link': {} }),
  ],
  exports: [CalendarLinkService, CalendarLinkExportSource],
})
export class CalendarModule {
  static readonly entities = [CalendarLink] as const;
}
