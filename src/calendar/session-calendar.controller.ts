import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClientPrincipal, type StaffPrincipal } from '../shared/access/index.js';
import { idParam } from '../shared/validation/index.js';
import { CalendarOperation } from './calendar-response.js';
import { CalendarExportService } from './calendar-export.service.js';
import { titleVisibilityQuery, type TitleVisibilityQuery } from './dto/calendar.js';

/** The operation that exports a Session as a calendar file, identical for all roles. */
@ApiTags('Calendar')
abstract class SessionCalendarController {
  constructor(private readonly service: CalendarExportService) {}

  @Get(':id/calendar.ics')
  @CalendarOperation({
    summary: 'Export a Session as a calendar file',
    answer: 'A calendar with this Session only, iCalendar (RFC 5545). Its event has the same UID as in the feed.',
    fileName: 'appointment.ics',
    errors: [400, 404],
  })
  getSessionCalendar(
    @Caller() caller: StaffPrincipal | ClientPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Query({ schema: titleVisibilityQuery }) { titles }: TitleVisibilityQuery,
  ): Promise<string> {
    return this.service.readSession(caller, id, titles);
  }
}

@Controller('/gateway/profile/caregiver/session')
@Access('CARE_PROVIDER')
export class CareProviderSessionCalendarController extends SessionCalendarController {}

@Controller('/gateway/profile/clinic/session')
@Access('CLINIC')
export class ClinicSessionCalendarController extends SessionCalendarController {}

@Controller('/gateway/profile/client/session')
@Access('CLIENT')
export class ClientSessionCalendarController extends SessionCalendarController {}
