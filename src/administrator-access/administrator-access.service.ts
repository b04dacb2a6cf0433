// eslint-disable-next-line no-restricted-imports -- An administrator has accesses to several Clinics.
import { EntityManager, LockMode, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AdministratorAccess } from '../auth/index.js';
import { Clinic, Directory } from '../directory/index.js';
import type { AdminPrincipal, ClinicPrincipal } from '../shared/access/index.js';
import { NotFoundError, UnprocessableError } from '../shared/errors/index.js';
import { Clock } from '../shared/time/index.js';
import { parseCursor, toPage, type Page } from '../shared/validation/index.js';
import {
  toAdministratorAccessModel,
  type AdministratorAccessModel,
  type AdministratorAccessQuery,
  type CreateAdministratorAccess,
} from './dto/administrator-access.js';

const cursorSchema = z.tuple([z.int()]);

/** Opens, lists and ends accesses of administrators to the data of a Clinic. */
@Injectable()
export class AdministratorAccessService {
  constructor(
    private readonly em: EntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
  ) {}

  /** @throws UnprocessableError if there is no such active Clinic */
  open(caller: AdminPrincipal, request: CreateAdministratorAccess): Promise<AdministratorAccessModel> {
    return this.em.transactional(async (em) => {
      // An erasure of the Clinic waits, so that it also overwrites this reason.
      await this.directory.preventErasure(request.clinicId);
      const clinic = await em.findOne(Clinic, { id: request.clinicId, active: true });
      if (clinic === null) throw new UnprocessableError([{ pointer: '/clinicId', detail: 'must be an active Clinic' }]);
      const now = this.clock.now();
      const access = new AdministratorAccess({ ...request, administrator: caller.subject }, now);
      await em.persist(access).flush();
      return toAdministratorAccessModel(access, now);
    });
  }

  /** Returns the accesses of the calling administrator, or those to the data of the calling Clinic, newest first. */
  list(
    caller: AdminPrincipal | ClinicPrincipal,
    { limit, cursor, open }: AdministratorAccessQuery,
  ): Promise<Page<AdministratorAccessModel>> {
    return this.em.transactional(async (em) => {
      const now = this.clock.now();
      const [id] = parseCursor(cursor, cursorSchema) ?? [];
      const where: FilterQuery<AdministratorAccess> = {
        $and: [
          await this.buildOwnFilter(caller),
          id === undefined ? {} : { id: { $lt: id } },
          open === true ? { endedAt: null, expiresAt: { $gt: now } } : {},
          open === false ? { $or: [{ endedAt: { $ne: null } }, { expiresAt: { $lte: now } }] } : {},
        ],
      };
      const accesses = await em.find(AdministratorAccess, where, { orderBy: { id: 'desc' }, limit: limit + 1 });
      return toPage(
        accesses,
        limit,
        (access) => [access.id],
        (access) => toAdministratorAccessModel(access, now),
      );
    });
  }

  /**
   * Ends an access immediately.
   *
   * @throws NotFoundError if the access is neither the calling administrator's own nor to the data of the calling
   * Clinic
   */
  end(caller: AdminPrincipal | ClinicPrincipal, id: number): Promise<AdministratorAccessModel> {
    return this.em.transactional(async (em) => {
      const where = { $and: [await this.buildOwnFilter(caller), { id }] };
      // The lock makes concurrent calls run one after another, so that only the first one ends the access.
      const access = await em.findOne(AdministratorAccess, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (access === null) throw new NotFoundError();
      const now = this.clock.now();
      access.end(caller.role, now);
      await em.flush();
      return toAdministratorAccessModel(access, now);
    });
  }

  private async buildOwnFilter(caller: AdminPrincipal | ClinicPrincipal): Promise<FilterQuery<AdministratorAccess>> {
    if (caller.role === 'ADMIN') return { administrator: caller.subject };
    return { clinicId: (await this.directory.requireClinic(caller)).id };
  }
}
