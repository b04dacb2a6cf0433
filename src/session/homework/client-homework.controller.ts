import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type ClientPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam, type SyncPage } from '../../shared/validation/index.js';
import {
  clientHomeworkPageSchema,
  clientHomeworkSchema,
  homeworkQuery,
  type ClientHomework,
  type HomeworkQuery,
} from './dto/homework-model.js';
import { HomeworkReader } from './homework.reader.js';
import { HomeworkService } from './homework.service.js';

/** Operations with which Clients read and complete their own homework. */
@ApiTags('Homework')
@Controller('/gateway/profile/client/homework')
@Access('CLIENT')
export class ClientHomeworkController {
  constructor(
    private readonly reader: HomeworkReader,
    private readonly service: HomeworkService,
  ) {}

  @Get()
  @Operation({
    summary: 'List my homework',
    description:
      'Homework of all Sessions that are not cancelled, in the order of their start, with its due date and upcoming reminders.',
    success: { status: 200, description: 'One page of homework.', schema: clientHomeworkPageSchema },
    mayBeStale: true,
    errors: [400, 410],
    clientData: true,
  })
  listHomework(
    @Caller() caller: ClientPrincipal,
    @Query({ schema: homeworkQuery }) query: HomeworkQuery,
  ): Promise<SyncPage<ClientHomework>> {
    return this.reader.listOwnHomework(caller, query);
  }

  @Post(':id/complete')
  @HomeworkOperation('Mark homework as done', 'Withdraws its unsent reminders. Idempotent.')
  completeHomework(
    @Caller() caller: ClientPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<ClientHomework> {
    return this.service.complete(caller, id);
  }

  @Post(':id/undo')
  @HomeworkOperation('Mark homework as not done', 'Restores its reminders that are due in the future. Idempotent.')
  reopenHomework(
    @Caller() caller: ClientPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<ClientHomework> {
    return this.service.reopen(caller, id);
  }
}

function HomeworkOperation(summary: string, description: string) {
  const success = { status: 200, description: 'The homework after the change.', schema: clientHomeworkSchema } as const;
  return Operation({
    summary,
    description,
    success,
    errors: [400, 404, 409],
    representation: 'default',
    clientData: true,
  });
}
