import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, Caller, type AdminPrincipal, type ClinicPrincipal } from '../shared/access/index.js';
import type { SubjectKind } from '../shared/erasure/index.js';
import { Operation, RECORD_LOCATION_HEADER, setLocation } from '../shared/http/index.js';
import { idParamWithExample, pageQuery, type Page, type PageQuery } from '../shared/validation/index.js';
import {
  createErasureSchema,
  erasurePageSchema,
  erasureSchema,
  type CreateErasure,
  type ErasureModel,
} from './dto/erasure-model.js';
import { ErasureService } from './erasure.service.js';
import type { ErasingCaller } from './erasure-subjects.js';

type SubjectRoutes = {
  kind: SubjectKind;
  /** The OpenAPI tag of the operations. */
  tag: string;
  path: string;
  /**
   * The names of the kind of subject in operation IDs and in summaries, such as `CareProvider` and "a Care Provider".
   */
  name: string;
  singular: string;
  /** IDs in the demonstration: a record without a request, a record with an open request, and that request. */
  examples: { id: number; requestedId: number; erasureId: number };
};

const ERASURE = { status: 200, description: 'The erasure.', schema: erasureSchema } as const;

/**
 * Creates a base class for the operations on the erasures of one kind of subject, which differ in their documentation.
 */
// eslint-disable-next-line max-lines-per-function -- The function contains a single class.
function ErasureController<Principal extends ErasingCaller>({
  kind,
  tag,
  path,
  name,
  singular,
  examples,
}: SubjectRoutes) {
  const [id, requestedId] = [idParamWithExample(examples.id), idParamWithExample(examples.requestedId)];
  const erasureIdParam = idParamWithExample(examples.erasureId);
  const isPerson = kind !== 'CLINIC';
  const Request = () =>
    Operation({
      operationId: `create${name}Erasure`,
      summary: `Request the erasure of ${singular}`,
      description: 'Changes nothing yet. 409 under a legal hold.',
      success: {
        status: 201,
        description: 'What will be erased, and when it can be confirmed.',
        schema: erasureSchema,
        headers: RECORD_LOCATION_HEADER,
      },
      errors: [400, 404, 409, 413, 415],
      clientData: isPerson,
      // The Clinic sees in its audit trail that an administrator wants to erase it.
      ...(isPerson ? {} : { clinicOf: ({ subjectId }: ErasureModel) => subjectId }),
    });
  const Confirm = () =>
    Operation({
      operationId: `confirm${name}Erasure`,
      summary: `Confirm the erasure of ${singular}`,
      description: 'Cannot be undone. Idempotent. 409 under a legal hold.',
      success: { ...ERASURE, description: 'The contents of the record are removed. A job removes everything else.' },
      errors: [400, 404, 409],
      clientData: isPerson,
    });
  const List = () =>
    Operation({
      operationId: `list${name}Erasures`,
      summary: `List the erasures of ${singular}`,
      success: { status: 200, description: 'One page, newest first.', schema: erasurePageSchema },
      errors: [400, 404],
      clientData: isPerson,
    });
  const Read = () =>
    Operation({
      operationId: `get${name}Erasure`,
      summary: `Read an erasure of ${singular}`,
      success: ERASURE,
      errors: [400, 404],
      clientData: isPerson,
    });

  @ApiTags(tag)
  abstract class Controller {
    constructor(private readonly service: ErasureService) {}

    @Post(':id/erasure')
    @Request()
    async request(
      @Caller() caller: Principal,
      @Param('id', { schema: id }) subjectId: number,
      @Body({ schema: createErasureSchema }) body: CreateErasure,
      @Res({ passthrough: true }) reply: FastifyReply,
    ): Promise<ErasureModel> {
      const erasure = await this.service.request(caller, { kind, id: subjectId }, body);
      setLocation(reply, `${path}/${subjectId}/erasure/${erasure.id}`);
      return erasure;
    }

    @Post(':id/erasure/:erasureId/confirmation')
    @Confirm()
    confirm(
      @Caller() caller: Principal,
      @Param('id', { schema: requestedId }) subjectId: number,
      @Param('erasureId', { schema: erasureIdParam }) erasureId: number,
    ): Promise<ErasureModel> {
      return this.service.confirm(caller, { kind, id: subjectId }, erasureId);
    }

    @Get(':id/erasure')
    @List()
    list(
      @Caller() caller: Principal,
      @Param('id', { schema: requestedId }) subjectId: number,
      @Query({ schema: pageQuery }) query: PageQuery,
    ): Promise<Page<ErasureModel>> {
      return this.service.list(caller, { kind, id: subjectId }, query);
    }

    @Get(':id/erasure/:erasureId')
    @Read()
    get(
      @Caller() caller: Principal,
      @Param('id', { schema: requestedId }) subjectId: number,
      @Param('erasureId', { schema: erasureIdParam }) erasureId: number,
    ): Promise<ErasureModel> {
      return this.service.get(caller, { kind, id: subjectId }, erasureId);
    }
  }
  return Controller;
}

const CLIENT_PATH = '/gateway/profile/clinic/client';
const CARE_PROVIDER_PATH = '/gateway/profile/clinic/care-provider';
const CLINIC_PATH = '/gateway/admin/clinic';

/** Operations for the erasure of a Clinic's Clients. */
@Controller(CLIENT_PATH)
@Access('CLINIC')
export class ClientErasureController extends ErasureController<ClinicPrincipal>({
  kind: 'CLIENT',
  tag: 'Directory',
  path: CLIENT_PATH,
  name: 'Client',
  singular: 'a Client',
  examples: { id: 2, requestedId: 3, erasureId: 1 },
}) {}

/** Operations for the erasure of a Clinic's Care Providers. */
@Controller(CARE_PROVIDER_PATH)
@Access('CLINIC')
export class CareProviderErasureController extends ErasureController<ClinicPrincipal>({
  kind: 'CARE_PROVIDER',
  tag: 'Directory',
  path: CARE_PROVIDER_PATH,
  name: 'CareProvider',
  singular: 'a Care Provider',
  examples: { id: 1, requestedId: 2, erasureId: 2 },
}) {}

/** Operations for the erasure of Clinics by administrators. */
@Controller(CLINIC_PATH)
@Access('ADMIN')
export class ClinicErasureController extends ErasureController<AdminPrincipal>({
  kind: 'CLINIC',
  tag: 'Administration',
  path: CLINIC_PATH,
  name: 'Clinic',
  singular: 'a Clinic',
  examples: { id: 1, requestedId: 2, erasureId: 3 },
}) {}
