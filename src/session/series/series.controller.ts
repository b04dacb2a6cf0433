import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type StaffPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import type { SyncPage } from '../../shared/validation/index.js';
import { staffReadQuery, type StaffReadQuery } from '../include/include-names.js';
import { findVersionOfOnlySession, seriesChangeSchema, type SeriesChange } from '../scheduling/dto/series-change.js';
import { seriesPageSchema, seriesQuery, type SeriesQuery, type SeriesSummary } from './dto/series-list.js';
import { seriesSchema, type SeriesModel } from './dto/series-model.js';
import {
  reviseSeriesSchema,
  seriesIdParam,
  shiftSeriesSchema,
  skipWeekSchema,
  type ReviseSeries,
  type ShiftSeries,
  type SkipWeek,
} from './dto/series-operations.js';
import { changeQuery, type ChangeQuery } from '../scheduling/dto/change-query.js';
import { SeriesListReader } from './series-list.reader.js';
import { SeriesRevisionService } from './series-revision.service.js';
import { SeriesService } from './series.service.js';

/** Series operations, identical for Care Providers and Clinics. */
@ApiTags('Series')
abstract class SeriesController {
  constructor(
    private readonly series: SeriesService,
    private readonly revisions: SeriesRevisionService,
    private readonly lists: SeriesListReader,
  ) {}

  @Get()
  @Operation({
    summary: 'List series',
    success: {
      status: 200,
      description: 'One page of series. A Care Provider sees a series if they can see all of its Sessions.',
      schema: seriesPageSchema,
    },
    mayBeStale: true,
    errors: [400, 410],
    clientData: true,
  })
  listSeries(
    @Caller() caller: StaffPrincipal,
    @Query({ schema: seriesQuery }) query: SeriesQuery,
  ): Promise<SyncPage<SeriesSummary, string>> {
    return this.lists.listSeries(caller, query);
  }

  @Get(':seriesId')
  @Operation({
    summary: 'Read a series with the progress of its homework',
    success: {
      status: 200,
      description: 'The series. `include` adds `client` and `careProvider` to it, the other members to its `sessions`.',
      schema: seriesSchema,
    },
    errors: [400, 404],
    clientData: true,
  })
  getSeries(
    @Caller() caller: StaffPrincipal,
    @Param('seriesId', { schema: seriesIdParam }) id: string,
    @Query({ schema: staffReadQuery }) query: StaffReadQuery,
  ): Promise<SeriesModel> {
    return this.series.getSeries(caller, id, query);
  }

  @Post(':seriesId/pause')
  @SeriesChangeOperation('Pause a series', 'Pauses all upcoming Sessions and their reminders.', [])
  pauseSeries(
    @Caller() caller: StaffPrincipal,
    @Param('seriesId', { schema: seriesIdParam }) id: string,
    @Query({ schema: changeQuery }) query: ChangeQuery,
  ): Promise<SeriesChange> {
    return this.series.pause(caller, id, query);
  }

  @Post(':seriesId/resume')
  @SeriesChangeOperation(
    'Resume a paused series',
    'If the next Session is in the past by now, the rest moves later by whole intervals.',
    [],
  )
  resumeSeries(
    @Caller() caller: StaffPrincipal,
    @Param('seriesId', { schema: seriesIdParam }) id: string,
    @Query({ schema: changeQuery }) query: ChangeQuery,
  ): Promise<SeriesChange> {
    return this.series.resume(caller, id, query);
  }

  @Post(':seriesId/shift')
  @SeriesChangeOperation('Move the rest of a series by days')
  shiftSeries(
    @Caller() caller: StaffPrincipal,
    @Param('seriesId', { schema: seriesIdParam }) id: string,
    @Body({ schema: shiftSeriesSchema }) body: ShiftSeries,
    @Query({ schema: changeQuery }) query: ChangeQuery,
  ): Promise<SeriesChange> {
    return this.series.shift(caller, id, body, query);
  }

  @Post(':seriesId/skip-week')
  @SeriesChangeOperation('Skip a week')
  skipSeriesWeek(
    @Caller() caller: StaffPrincipal,
    @Param('seriesId', { schema: seriesIdParam }) id: string,
    @Body({ schema: skipWeekSchema }) body: SkipWeek,
    @Query({ schema: changeQuery }) query: ChangeQuery,
  ): Promise<SeriesChange> {
    return this.series.skipWeek(caller, id, body, query);
  }

  @Post(':seriesId/revise')
  @SeriesChangeOperation('Apply a newer revision of the Design Plan to the rest of a series')
  reviseSeries(
    @Caller() caller: StaffPrincipal,
    @Param('seriesId', { schema: seriesIdParam }) id: string,
    @Body({ schema: reviseSeriesSchema }) body: ReviseSeries,
    @Query({ schema: changeQuery }) query: ChangeQuery,
  ): Promise<SeriesChange> {
    return this.revisions.revise(caller, id, body, query);
  }
}

@Controller('/gateway/profile/caregiver/series')
@Access('CARE_PROVIDER')
export class CareProviderSeriesController extends SeriesController {}

@Controller('/gateway/profile/clinic/series')
@Access('CLINIC')
export class ClinicSeriesController extends SeriesController {}

function SeriesChangeOperation(
  summary: string,
  description?: string,
  bodyErrors: readonly (413 | 415 | 422)[] = [413, 415, 422],
) {
  const success = {
    status: 200,
    description: 'The Sessions that have changed.',
    schema: seriesChangeSchema,
  } as const;
  return Operation({
    summary,
    description,
    success,
    errors: [400, 404, 409, ...bodyErrors],
    ...{ representation: 'default', versionOf: findVersionOfOnlySession, clientData: true },
  });
}
