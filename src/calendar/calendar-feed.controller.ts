import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, PUBLIC } from '../shared/access/index.js';
import { CalendarOperation } from './calendar-response.js';
import { CalendarExportService } from './calendar-export.service.js';
import { linkSecretParam } from './dto/calendar.js';
import { hashLinkSecret } from './link-secret.js';

/** The only public operation that returns personal data. The secret in the URL authenticates the request. */
@ApiTags('Calendar')
@Controller('/calendar')
@Access(PUBLIC)
export class CalendarFeedController {
  constructor(private readonly service: CalendarExportService) {}

  @Get(':secret.ics')
  @CalendarOperation({
    resolveLinkActor: ({ secret }) => ({ role: 'CALENDAR_LINK', secretHash: hashLinkSecret(secret ?? '') }),
    summary: 'Subscribe to a calendar',
    description:
      'For calendar programs, which cannot send a token: the secret in the link authenticates the request. Contains the Sessions of its owner from 90 days ago to 366 days ahead, at most the first 2,000.',
    answer: 'The calendar, iCalendar (RFC 5545).',
    errors: [400, 404],
  })
  getCalendarFeed(@Param('secret', { schema: linkSecretParam }) secret: string): Promise<string> {
    return this.service.readFeed(secret);
  }
}
