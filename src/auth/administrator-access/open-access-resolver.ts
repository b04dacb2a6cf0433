// eslint-disable-next-line no-restricted-imports -- The access names the Clinic.
import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { AdminPrincipal, ClinicPrincipal } from '../../shared/access/index.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { forkForActor, UNTRACKED } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { AdministratorAccess } from './administrator-access.entity.js';

/** Lets an administrator read as the Clinic while the administrator has an open access to its data. */
@Injectable()
export class OpenAccessResolver {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the principal with which the administrator reads the Clinic's data. The access is looked up for each
   * request, so ending it takes effect immediately on all instances.
   *
   * @throws ForbiddenError if the administrator has no open access with this ID
   */
  async useAccess(caller: AdminPrincipal, id: number): Promise<ClinicPrincipal> {
    const access = await forkForActor(this.em, caller).transactional((em) =>
      em.findOne(AdministratorAccess, { id, administrator: caller.subject }, WITHOUT_REASON),
    );
    if (access === null || !access.isOpen(this.clock.now())) throw new ForbiddenError(CLOSED_DETAIL);
    const { clinicId } = access;
    return { role: 'CLINIC', subject: caller.subject, clinicId, administratorAccessId: id };
  }
}

/** The reason is encrypted, and reading it would need the key of the Clinic. */
const WITHOUT_REASON = { ...UNTRACKED, exclude: ['reason'] } as const;
const CLOSED_DETAIL = 'The administrator access does not exist, or has ended.';
