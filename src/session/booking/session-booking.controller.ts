import { Body, Controller, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, Caller, type CareProviderPrincipal } from '../../shared/access/index.js';
import {
  CLIENT_DATA_CACHE_CONTROL,
  setLocation,
  Operation,
  WantsRepresentation,
  withEtagHeader,
} from '../../shared/http/index.js';
import { ApiOffsetHeader, RequestOffset } from '../../shared/time/index.js';
import { conflictHandlingQuery, type ConflictHandlingQuery } from '../scheduling/dto/change-query.js';
import {
  createSessionsSchema,
  sessionsCreatedSchema,
  type CreateSessions,
  type SessionsCreated,
} from './dto/create-sessions.js';
import { findVersionOfOnlySession, seriesChangeSchema, type SeriesChange } from '../scheduling/dto/series-change.js';
import { SessionBookingService } from './session-booking.service.js';
import type { ScheduleWarning } from '../domain/schedule-warning.js';

const PATH = '/gateway/profile/caregiver/session';
const LOCATION_HEADER = {
  Location: {
    description: 'A list of what the request has created.',
    example: `${PATH}?seriesId=019abcde-0000-7000-8000-000000000000`,
  },
};
/** The version of every new Session. */
const FIRST_VERSION = 1;

@ApiTags('Sessions')
@Controller(PATH)
@Access('CARE_PROVIDER')
export class SessionBookingController {
  constructor(private readonly service: SessionBookingService) {}

  @Post()
  @Operation({
    isLenient: true,
    summary: 'Create Session(s)',
    description:
      'Creates the Sessions of the request as one series, with homework and reminders, or nothing (specification, 4.2).',
    success: {
      status: 201,
      description: 'Created.',
      schema: sessionsCreatedSchema,
      headers: LOCATION_HEADER,
    },
    errors: [400, 409, 413, 415, 422],
    representation: seriesChangeSchema,
    versionOf: (created: SessionsCreated | SeriesChange) =>
      'message' in created ? undefined : findVersionOfOnlySession(created),
  })
  @ApiOffsetHeader()
  async createSessions(
    @Caller() caller: CareProviderPrincipal,
    @Body({ schema: createSessionsSchema }) body: CreateSessions,
    @Query({ schema: conflictHandlingQuery }) { conflicts }: ConflictHandlingQuery,
    @RequestOffset() offset: string | undefined,
    @WantsRepresentation() wantsRepresentation: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionsCreated | SeriesChange> {
    if (wantsRepresentation) {
      const change = await this.service.createSeries(caller, body, { conflicts, dryRun: false }, offset);
      setLocation(reply.header('cache-control', CLIENT_DATA_CACHE_CONTROL), `${PATH}?seriesId=${change.seriesId}`);
      return change;
    }
    const { seriesId, sessionIds, warnings } = await this.service.createSessions(caller, body, conflicts, offset);
    setLocation(reply, `${PATH}?seriesId=${seriesId}`);
    if (sessionIds.length === 1) withEtagHeader(reply, FIRST_VERSION, undefined);
    return { message: formatCreatedMessage(sessionIds, warnings) };
  }
}

function formatCreatedMessage(ids: readonly number[], warnings: readonly ScheduleWarning[]): string {
  const summary = ids.length === 1 ? '1 Session was created' : `${ids.length} Sessions were created`;
  // A request can plan 2,000 reminders, so the text has only the first warning of each kind.
  const texts = [...Map.groupBy(warnings, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const [first, ...others] = new Set(ofKind.map(({ detail }) => detail));
    return `${kind}: ${first}${others.length === 0 ? '' : ` ${others.length} more of this kind.`}`;
  });
  return [`${summary}: ${ids.join(', ')}.`, ...texts].join(' ');
}
