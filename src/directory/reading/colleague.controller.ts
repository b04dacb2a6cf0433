import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type CareProviderPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam, type Page } from '../../shared/validation/index.js';
import { colleaguePageSchema, colleagueSchema, type ColleagueView } from '../dto/care-provider-reading-model.js';
import { personQuery, type PersonQuery } from '../dto/record-query.js';
import { ColleagueReader } from './colleague.reader.js';

@ApiTags('Directory')
@Controller('/gateway/profile/caregiver/care-provider')
@Access('CARE_PROVIDER')
export class ColleagueController {
  constructor(private readonly reader: ColleagueReader) {}

  @Get()
  @Operation({
    summary: "List the Care Providers of the caller's Clinic",
    description: 'Returns only ids and names. Includes the caller.',
    success: { status: 200, description: 'One page, in the order of `sort`.', schema: colleaguePageSchema },
    mayBeStale: true,
    errors: [400],
    clientData: true,
  })
  listColleagues(
    @Caller() caller: CareProviderPrincipal,
    @Query({ schema: personQuery }) query: PersonQuery,
  ): Promise<Page<ColleagueView>> {
    return this.reader.list(caller, query);
  }

  @Get(':id')
  @Operation({
    summary: "Read a Care Provider of the caller's Clinic",
    success: { status: 200, description: 'The id and the name.', schema: colleagueSchema },
    errors: [400, 404],
    clientData: true,
  })
  getColleague(
    @Caller() caller: CareProviderPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<ColleagueView> {
    return this.reader.get(caller, id);
  }
}
