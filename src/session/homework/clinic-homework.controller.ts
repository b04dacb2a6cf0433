import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClinicPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import type { SyncPage } from '../../shared/validation/index.js';
import {
  clinicHomeworkPageSchema,
  clinicHomeworkQuery,
  type ClinicHomework,
  type ClinicHomeworkQuery,
} from './dto/homework-model.js';
import { HomeworkReader } from './homework.reader.js';

/** Operations with which a Clinic reads the homework of its Clients. */
@ApiTags('Homework')
@Controller('/gateway/profile/clinic/homework')
@Access('CLINIC')
export class ClinicHomeworkController {
  constructor(private readonly reader: HomeworkReader) {}

  @Get()
  @Operation({
    summary: 'List the homework of all Clients',
    description: 'Homework of all Sessions that are not cancelled, in the order of their start.',
    success: { status: 200, description: 'One page of homework.', schema: clinicHomeworkPageSchema },
    errors: [400, 410],
    clientData: true,
    mayBeStale: true,
  })
  listHomeworkOfClients(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: clinicHomeworkQuery }) query: ClinicHomeworkQuery,
  ): Promise<SyncPage<ClinicHomework>> {
    return this.reader.listHomework(caller, query);
  }
}
