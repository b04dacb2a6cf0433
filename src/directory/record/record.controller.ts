import { Body, Delete, Get, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { Caller } from '../../shared/access/index.js';
import type { ExpectedVersion } from '../../shared/errors/index.js';
import {
  ApiIfMatch,
  ApiPutConditions,
  NdjsonBody,
  OptionalIfMatchVersion,
  PutConditions,
  setLocation,
  setPutStatusAndLocation,
  toNdjson,
  WantsRepresentation,
  withEtagHeader,
  type NdjsonRequest,
} from '../../shared/http/index.js';
import { idParam, idParamWithExample, type Page } from '../../shared/validation/index.js';
import type { ImportLineResult } from '../dto/import-model.js';
import { externalIdSchema } from '../dto/record-model.js';
import type { PersonQuery } from '../dto/record-query.js';
import { RecordOperationDecorators, type RecordDocumentation } from './record-operations.js';
import type { PutRecordResult } from './record-queries.js';

/** The use cases that every kind of record supports. */
interface RecordService<Principal, Creation, Replacement, Change, View, ListQuery> {
  create(caller: Principal, data: Creation): Promise<number>;
  put(
    caller: Principal,
    externalId: string,
    data: Replacement,
    expectedVersion?: ExpectedVersion,
  ): Promise<PutRecordResult>;
  import(caller: Principal, request: NdjsonRequest): Promise<ImportLineResult[]>;
  list(caller: Principal, query: ListQuery): Promise<Page<View>>;
  get(caller: Principal, id: number): Promise<View>;
  change(caller: Principal, id: number, data: Change, seenVersion?: number): Promise<View>;
  deactivate(caller: Principal, id: number, seenVersion?: number): Promise<void>;
}

type RecordRoutes<Creation, Replacement, Change, ListQuery> = RecordDocumentation & {
  query: z.ZodType<ListQuery>;
  create: z.ZodType<Creation>;
  put: z.ZodType<Replacement>;
  change: z.ZodType<Change>;
  /**
   * ID in the examples of changes, which is that of a demonstration record that the caller may change. Defaults to 1.
   */
  changeExample?: number;
};

/**
 * Creates a base class for a controller, with the seven routes that every kind of record supports. Each kind needs its
 * own class because the schemas and the documentation are metadata of the class's methods.
 */
// eslint-disable-next-line max-lines-per-function -- The function contains a single class.
export function RecordController<
  Principal,
  Creation,
  Replacement,
  Change,
  View extends { version: number },
  ListQuery = PersonQuery,
>(routes: RecordRoutes<Creation, Replacement, Change, ListQuery>) {
  const { path } = routes;
  const operations = new RecordOperationDecorators(routes);
  const changedId = routes.changeExample === undefined ? idParam : idParamWithExample(routes.changeExample);

  abstract class Controller {
    constructor(protected readonly service: RecordService<Principal, Creation, Replacement, Change, View, ListQuery>) {}

    @Post()
    @operations.Create()
    async create(
      @Caller() caller: Principal,
      @Body({ schema: routes.create }) body: Creation,
      @WantsRepresentation() wantsRepresentation: boolean,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<View | undefined> {
      const id = await this.service.create(caller, body);
      setLocation(reply, `${path}/${id}`);
      return wantsRepresentation ? this.service.get(caller, id) : undefined;
    }

    @Put('external/:externalId')
    @operations.Put()
    @ApiPutConditions()
    async put(
      @Caller() caller: Principal,
      @Param('externalId', { schema: externalIdSchema }) externalId: string,
      @PutConditions() expectedVersion: ExpectedVersion,
      @Body({ schema: routes.put }) body: Replacement,
      @WantsRepresentation() wantsRepresentation: boolean,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<View | undefined> {
      const result = await this.service.put(caller, externalId, body, expectedVersion);
      setPutStatusAndLocation(reply, result, `${path}/${result.id}`);
      return wantsRepresentation ? this.service.get(caller, result.id) : undefined;
    }

    @Post('import')
    @operations.Import()
    async import(@Caller() caller: Principal, @NdjsonBody() request: NdjsonRequest): Promise<string> {
      return toNdjson(await this.service.import(caller, request));
    }

    @Get()
    @operations.List()
    list(@Caller() caller: Principal, @Query({ schema: routes.query }) query: ListQuery): Promise<Page<View>> {
      return this.service.list(caller, query);
    }

    @Get(':id')
    @operations.Get()
    async get(
      @Caller() caller: Principal,
      @Param('id', { schema: idParam }) id: number,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<View> {
      const view = await this.service.get(caller, id);
      return withEtagHeader(reply, view.version, view);
    }

    @Patch(':id')
    @operations.Change()
    @ApiIfMatch({ isRequired: false })
    change(
      @Caller() caller: Principal,
      @Param('id', { schema: changedId }) id: number,
      @OptionalIfMatchVersion() seenVersion: number | undefined,
      @Body({ schema: routes.change }) body: Change,
    ): Promise<View> {
      return this.service.change(caller, id, body, seenVersion);
    }

    @Delete(':id')
    @operations.Deactivate()
    @ApiIfMatch({ isRequired: false })
    async deactivate(
      @Caller() caller: Principal,
      @Param('id', { schema: changedId }) id: number,
      @OptionalIfMatchVersion() seenVersion: number | undefined,
      @WantsRepresentation() wantsRepresentation: boolean,
    ): Promise<View | undefined> {
      await this.service.deactivate(caller, id, seenVersion);
      return wantsRepresentation ? this.service.get(caller, id) : undefined;
    }
  }
  return Controller;
}
