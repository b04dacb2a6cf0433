import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClientPrincipal, type StaffPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { clientWeekSchema, weekSchema, type ClientWeekModel, type WeekModel } from './dto/week-model.js';
import { clientWeekQuery, weekQuery, type ClientWeekQuery, type WeekQuery } from './dto/week-query.js';
import { WeekReader } from './week.reader.js';

/** The operation that reads a week, identical for Care Providers and Clinics. */
@ApiTags('Sessions')
abstract class WeekController {
  constructor(private readonly reader: WeekReader) {}

  @Get()
  @Operation({
    summary: 'Read a week',
    success: {
      status: 200,
      description:
        'The Sessions that start within seven days, with names, local times, homework and its progress, overlaps, and ' +
        'upcoming reminders. At most 1,000: if `isTruncated` is true, choose Care Providers with `caregiverId`.',
      schema: weekSchema,
    },
    mayBeStale: true,
    errors: [400],
    clientData: true,
  })
  getWeek(@Caller() caller: StaffPrincipal, @Query({ schema: weekQuery }) query: WeekQuery): Promise<WeekModel> {
    return this.reader.getWeek(caller, query);
  }
}

@Controller('/gateway/profile/caregiver/week')
@Access('CARE_PROVIDER')
export class CareProviderWeekController extends WeekController {}

@Controller('/gateway/profile/clinic/week')
@Access('CLINIC')
export class ClinicWeekController extends WeekController {}

/** The operation with which Clients read a week of their own Sessions. */
@ApiTags('Sessions')
@Controller('/gateway/profile/client/week')
@Access('CLIENT')
export class ClientWeekController {
  constructor(private readonly reader: WeekReader) {}

  @Get()
  @Operation({
    summary: 'Read my week',
    description:
      "The Client's own Sessions that start within seven days, with the names of their Care Providers, local times, " +
      'homework and its progress, and upcoming reminders.',
    success: { status: 200, description: 'The week.', schema: clientWeekSchema },
    mayBeStale: true,
    errors: [400],
    clientData: true,
  })
  getWeek(
    @Caller() caller: ClientPrincipal,
    @Query({ schema: clientWeekQuery }) query: ClientWeekQuery,
  ): Promise<ClientWeekModel> {
    return this.reader.getClientWeek(caller, query);
  }
}
