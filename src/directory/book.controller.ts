import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, type ClinicPrincipal } from '../shared/access/index.js';
import { ApiCreatedByPut, created, Operation, put } from '../shared/http/index.js';
import { idParam, type Page } from '../shared/validation/index.js';
import {
  changeBookSchema,
  createBookSchema,
  externalIdParam,
  putBookSchema,
  recordQuery,
  bookPageSchema,
  bookSchema,
  type ChangeBook,
  type CreateBook,
  type PutBook,
  type RecordQuery,
  type BookView,
} from './dto/records.js';
import { BookService } from './book.service.js';

const PATH = '/gateway/profile/clinic/book';

@ApiTags('Directory')
@Controller(PATH)
export class BookController {
  constructor(private readonly service: BookService) {}

  @Post()
  @Operation({
    role: 'CLINIC',
    summary: 'Register a Book',
    success: {
      status: 201,
      description: 'Registered.',
      headers: { Location: { description: 'Where to read it.', example: `${PATH}/1` } },
    },
    errors: [400, 409, 413, 415],
  })
  async create(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: createBookSchema }) body: CreateBook,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    created(reply, `${PATH}/${await this.service.create(caller, body)}`);
  }

  @Put('external/:externalId')
  @Operation({
    role: 'CLINIC',
    summary: 'Register or replace the Book of an external id',
    description:
      'The same call again and again makes one record. 201 with its location when it was made, 204 when it was replaced. ' +
      'Optional fields that are absent are emptied; `active` stays as it is.',
    success: { status: 204, description: 'Replaced; 201 with `Location` when it was made.' },
    errors: [400, 413, 415],
  })
  @ApiCreatedByPut(`${PATH}/1`)
  async put(
    @Caller() caller: ClinicPrincipal,
    @Param('externalId', { schema: externalIdParam }) externalId: string,
    @Body({ schema: putBookSchema }) body: PutBook,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const result = await this.service.put(caller, externalId, body);
    put(reply, result, `${PATH}/${result.id}`);
  }

  @Get()
  @Operation({
    role: 'CLINIC',
    summary: 'List Books',
    success: { status: 200, description: 'One page, in the order of the ids.', schema: bookPageSchema },
    errors: [400],
  })
  list(@Caller() caller: ClinicPrincipal, @Query({ schema: recordQuery }) query: RecordQuery): Promise<Page<BookView>> {
    return this.service.list(caller, query);
  }

  @Get(':id')
  @Operation({
    role: 'CLINIC',
    summary: 'Read a Book',
    success: { status: 200, description: 'The record.', schema: bookSchema },
    errors: [400, 404],
  })
  get(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<BookView> {
    return this.service.get(caller, id);
  }

  @Patch(':id')
  @Operation({
    role: 'CLINIC',
    summary: 'Change a Book',
    description: 'Changes the fields that are given and leaves the others.',
    success: { status: 200, description: 'The record as it is now.', schema: bookSchema },
    errors: [400, 404, 413, 415],
  })
  change(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: changeBookSchema }) body: ChangeBook,
  ): Promise<BookView> {
    return this.service.change(caller, id, body);
  }

  @Delete(':id')
  @Operation({
    role: 'CLINIC',
    summary: 'Deactivate a Book',
    description:
      'The record stays, with all that refers to it, but cannot be used for anything new. `PATCH` with `active: true` brings it back.',
    success: { status: 204, description: 'Deactivated.' },
    errors: [400, 404],
  })
  deactivate(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<void> {
    return this.service.deactivate(caller, id);
  }
}
