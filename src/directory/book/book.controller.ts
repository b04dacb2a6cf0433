import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, type ClinicPrincipal } from '../../shared/access/index.js';
import { setLocation, type NdjsonLine, NdjsonBody, setPutResult, toNdjson } from '../../shared/http/index.js';
import { idParam, type Page } from '../../shared/validation/index.js';
import { BookService } from './book.service.js';
import { importBookSchema } from '../dto/import-model.js';
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
} from '../dto/record-model.js';
import { RecordOperations } from '../record/record-operations.js';

const PATH = '/gateway/profile/clinic/book';
const Operations = new RecordOperations({
  role: 'CLINIC',
  path: PATH,
  one: 'a Book of the Clinic',
  many: "Books, the Clinic's own and those of the shared catalogue",
  schema: bookSchema,
  page: bookPageSchema,
});

@ApiTags('Directory')
@Controller(PATH)
export class BookController {
  constructor(private readonly service: BookService) {}

  @Post()
  @Operations.Create()
  async createBook(
    @Caller() caller: ClinicPrincipal,
    @Body({ schema: createBookSchema }) body: CreateBook,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    setLocation(reply, `${PATH}/${await this.service.create(caller, body)}`);
  }

  @Put('external/:externalId')
  @Operations.Put()
  async putBook(
    @Caller() caller: ClinicPrincipal,
    @Param('externalId', { schema: externalIdParam }) externalId: string,
    @Body({ schema: putBookSchema }) body: PutBook,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const result = await this.service.put(caller, externalId, body);
    setPutResult(reply, result, `${PATH}/${result.id}`);
  }

  @Post('import')
  @Operations.Import(importBookSchema)
  async importBooks(@Caller() caller: ClinicPrincipal, @NdjsonBody() lines: NdjsonLine[]): Promise<string> {
    return toNdjson(await this.service.import(caller, lines));
  }

  @Get()
  @Operations.List()
  listBooks(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: recordQuery }) query: RecordQuery,
  ): Promise<Page<BookView>> {
    return this.service.list(caller, query);
  }

  @Get(':id')
  @Operations.Get()
  getBook(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<BookView> {
    return this.service.get(caller, id);
  }

  @Patch(':id')
  @Operations.Change()
  changeBook(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
    @Body({ schema: changeBookSchema }) body: ChangeBook,
  ): Promise<BookView> {
    return this.service.change(caller, id, body);
  }

  @Delete(':id')
  @Operations.Deactivate()
  deactivateBook(@Caller() caller: ClinicPrincipal, @Param('id', { schema: idParam }) id: number): Promise<void> {
    return this.service.deactivate(caller, id);
  }
}
