import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type AdminPrincipal, type ClinicPrincipal } from '../shared/access/index.js';
import { Operation } from '../shared/http/index.js';
import { idParam, type Page } from '../shared/validation/index.js';
import { AdministratorAccessService } from './administrator-access.service.js';
import {
  administratorAccessPageSchema,
  administratorAccessQuery,
  administratorAccessSchema,
  createAdministratorAccessSchema,
  type AdministratorAccessModel,
  type AdministratorAccessQuery,
  type CreateAdministratorAccess,
} from './dto/administrator-access.js';

const PAGE = { status: 200, description: 'One page, newest first.', schema: administratorAccessPageSchema } as const;
const ENDED = { status: 200, description: 'The access, which has ended.', schema: administratorAccessSchema } as const;
const clinicOf = ({ clinicId }: AdministratorAccessModel) => clinicId;

/** Operations with which administrators open, list and end their own accesses to the data of Clinics. */
@ApiTags('Administration')
@Controller('/gateway/admin/administrator-access')
@Access('ADMIN')
export class AdminAdministratorAccessController {
  constructor(private readonly service: AdministratorAccessService) {}

  @Post()
  @Operation({
    summary: "Open an access to a Clinic's data",
    description:
      'Until the access ends, the administrator can call all `GET` operations of this Clinic with the header ' +
      '`Administrator-Access: <id>`, and nothing else. The Clinic sees the access and each request with it, and can end it.',
    success: { status: 201, description: 'The access is open.', schema: administratorAccessSchema },
    errors: [400, 413, 415, 422],
    clinicOf,
  })
  createAdministratorAccess(
    @Caller() caller: AdminPrincipal,
    @Body({ schema: createAdministratorAccessSchema }) body: CreateAdministratorAccess,
  ): Promise<AdministratorAccessModel> {
    return this.service.open(caller, body);
  }

  @Get()
  @Operation({
    summary: "List your accesses to Clinics' data",
    success: PAGE,
    errors: [400],
  })
  listAdministratorAccesses(
    @Caller() caller: AdminPrincipal,
    @Query({ schema: administratorAccessQuery }) query: AdministratorAccessQuery,
  ): Promise<Page<AdministratorAccessModel>> {
    return this.service.list(caller, query);
  }

  @Delete(':id')
  @Operation({
    summary: "End your access to a Clinic's data",
    description: 'At once, on all instances. Repeating the call changes nothing.',
    success: ENDED,
    errors: [400, 404],
    clinicOf,
  })
  revokeAdministratorAccess(
    @Caller() caller: AdminPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<AdministratorAccessModel> {
    return this.service.end(caller, id);
  }
}

/** Operations with which a Clinic lists and ends the accesses of administrators to its data. */
@ApiTags('Audit')
@Controller('/gateway/profile/clinic/administrator-access')
@Access('CLINIC')
export class ClinicAdministratorAccessController {
  constructor(private readonly service: AdministratorAccessService) {}

  @Get()
  @Operation({
    summary: 'List accesses of administrators to your data',
    description: 'The audit trail with `record=administrator-access/<id>` lists what was read with an access.',
    success: PAGE,
    errors: [400],
  })
  listAdministratorAccesses(
    @Caller() caller: ClinicPrincipal,
    @Query({ schema: administratorAccessQuery }) query: AdministratorAccessQuery,
  ): Promise<Page<AdministratorAccessModel>> {
    return this.service.list(caller, query);
  }

  @Delete(':id')
  @Operation({
    summary: 'End the access of an administrator to your data',
    description: 'At once, on all instances. Repeating the call changes nothing.',
    success: ENDED,
    errors: [400, 404],
  })
  revokeAdministratorAccess(
    @Caller() caller: ClinicPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<AdministratorAccessModel> {
    return this.service.end(caller, id);
  }
}
