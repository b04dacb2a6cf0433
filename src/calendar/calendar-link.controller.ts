import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller } from '../shared/access/index.js';
import { Operation } from '../shared/http/index.js';
import { idParamWithExample, pageQuery, type Page, type PageQuery } from '../shared/validation/index.js';
import { CalendarLinkService } from './calendar-link.service.js';
import type { CallerWithCalendar } from './calendar-owner-resolver.js';
import {
  calendarLinkPageSchema,
  calendarLinkSchema,
  createCalendarLinkSchema,
  createdCalendarLinkSchema,
  type CalendarLinkModel,
  type CreateCalendarLink,
  type CreatedCalendarLink,
} from './dto/calendar-link.js';

/**
 * Creates a base class for the operations on secret calendar links, identical for Care Providers and Clients.
 *
 * @param demonstrationLink the caller's link in the demonstration, for the documentation
 */
// eslint-disable-next-line max-lines-per-function -- The function contains a single class.
function CalendarLinkController(demonstrationLink: number) {
  const linkId = idParamWithExample(demonstrationLink);

  @ApiTags('Calendar')
  abstract class Controller {
    constructor(private readonly service: CalendarLinkService) {}

    @Post()
    @Operation({
      summary: 'Create a secret link to your calendar',
      success: {
        status: 201,
        description:
          'The link. Everyone with it can read the calendar. It is returned only once, because only a hash of its secret is ' +
          'stored. At most 10 at a time. It works for 366 days, and its owner can renew it.',
        schema: createdCalendarLinkSchema,
      },
      errors: [400, 409, 413, 415],
      clientData: true,
    })
    createCalendarLink(
      @Caller() caller: CallerWithCalendar,
      @Body({ schema: createCalendarLinkSchema }) body: CreateCalendarLink,
    ): Promise<CreatedCalendarLink> {
      return this.service.createLink(caller, body);
    }

    @Get()
    @Operation({
      summary: 'List the links to your calendar',
      success: {
        status: 200,
        description: 'One page of links that are not revoked, also expired ones, oldest first, without their secrets.',
        schema: calendarLinkPageSchema,
      },
      errors: [400],
      clientData: true,
    })
    listCalendarLinks(
      @Caller() caller: CallerWithCalendar,
      @Query({ schema: pageQuery }) query: PageQuery,
    ): Promise<Page<CalendarLinkModel>> {
      return this.service.listLinks(caller, query);
    }

    @Post(':id/rotate')
    @Operation({
      summary: 'Replace the secret of a link to your calendar',
      success: {
        status: 200,
        description:
          'The link with its new URL, which works for 366 days. The previous URL works for 24 hours more, so that each ' +
          'device can be changed. To end it at once, revoke the link instead.',
        schema: createdCalendarLinkSchema,
      },
      errors: [400, 404],
      clientData: true,
    })
    rotateCalendarLink(
      @Caller() caller: CallerWithCalendar,
      @Param('id', { schema: linkId }) id: number,
    ): Promise<CreatedCalendarLink> {
      return this.service.rotateLink(caller, id);
    }

    @Post(':id/renew')
    @Operation({
      summary: 'Renew a link to your calendar',
      success: {
        status: 200,
        description: 'The link works for 366 days from now, with the same URL, also if it had expired.',
        schema: calendarLinkSchema,
      },
      errors: [400, 404],
      clientData: true,
    })
    renewCalendarLink(
      @Caller() caller: CallerWithCalendar,
      @Param('id', { schema: linkId }) id: number,
    ): Promise<CalendarLinkModel> {
      return this.service.renewLink(caller, id);
    }

    @Delete(':id')
    @Operation({
      summary: 'Revoke a link to your calendar',
      description: 'From then on, the link returns 404. Idempotent.',
      success: { status: 204, description: 'The link is revoked.' },
      errors: [400, 404],
    })
    revokeCalendarLink(
      @Caller() caller: CallerWithCalendar,
      @Param('id', { schema: linkId }) id: number,
    ): Promise<void> {
      return this.service.revokeLink(caller, id);
    }
  }
  return Controller;
}

@Controller('/gateway/profile/caregiver/calendar-link')
@Access('CARE_PROVIDER')
export class CareProviderCalendarLinkController extends CalendarLinkController(1) {}

@Controller('/gateway/profile/client/calendar-link')
@Access('CLIENT')
export class ClientCalendarLinkController extends CalendarLinkController(2) {}
