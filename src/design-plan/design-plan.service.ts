import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Directory, type Clinic } from '../directory/index.js';
import type { ClinicPrincipal } from '../shared/access/index.js';
import {
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  UnprocessableError,
  type Violation,
} from '../shared/errors/index.js';
import { isStorable, TenantEntityManager } from '../shared/persistence/index.js';
import { Clock, toInstant } from '../shared/time/index.js';
import { DesignPlanRevision } from './design-plan-revision.entity.js';
import { DesignPlan, type DesignPlanData } from './design-plan.entity.js';
import type { CreateDesignPlan } from './dto/create-design-plan.js';
import type { CloneDesignPlan } from './dto/design-plan-changes.js';
import type { PlanContent } from './plan-content.js';

/** Writes Design Plans: schedules of homework that a Clinic writes. Each call is one transaction. */
@Injectable()
export class DesignPlanService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a plan (specification 4.1) and returns its id.
   *
   * @param requestZone where the wall clock of the request stands; undefined: the Clinic's zone
   * @param base JSON pointer to where the plan stands in the body
   * @throws ForbiddenError for another Clinic's id
   * @throws UnprocessableError for a Care Provider or Books that the Clinic cannot use
   */
  createPlan(caller: ClinicPrincipal, request: CreateDesignPlan, requestZone?: string, base = ''): Promise<number> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      const plan = new DesignPlan(clinic.id, await this.planData(clinic, request, requestZone, this.clock.now(), base));
      await em.persist(plan).flush();
      return plan.id;
    });
  }

  /**
   * Replaces what a plan says; what it said becomes an earlier revision. An absent `createdDate` leaves it as it is.
   *
   * @param seenVersion the version that the caller has read
   * @throws PreconditionFailedError when it is not the current one: of several callers at once, one wins
   * @throws ConflictError when the plan is archived
   */
  replacePlan(
    caller: ClinicPrincipal,
    id: number,
    seenVersion: number,
    request: CreateDesignPlan,
    requestZone?: string,
  ): Promise<DesignPlan> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      // Before the plan, in the order of those who apply it: its foreign key waits for who has the Care Provider.
      if (request.caregiverId !== undefined) await this.directory.holdCareProvider(clinic.id, request.caregiverId);
      const plan = await this.requireLocked(clinic, id);
      const data = await this.planData(clinic, request, requestZone, plan.createdDate);
      em.persist(plan.replace(data, seenVersion, this.clock.now()));
      return plan;
    });
  }

  /** @throws NotFoundError */
  archivePlan(caller: ClinicPrincipal, id: number): Promise<void> {
    return this.em.transactional(async () => {
      const plan = await this.requireLocked(await this.directory.requireClinic(caller), id);
      plan.archive(this.clock.now());
    });
  }

  /** @throws NotFoundError */
  restorePlan(caller: ClinicPrincipal, id: number): Promise<void> {
    return this.em.transactional(async () => {
      const plan = await this.requireLocked(await this.directory.requireClinic(caller), id);
      plan.restore();
    });
  }

  /** Makes a new plan that says the same, and returns its id. @throws NotFoundError */
  clonePlan(caller: ClinicPrincipal, id: number, change: CloneDesignPlan): Promise<number> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      const plan = await this.findPlan(clinic.id, id);
      if (plan === null) throw new NotFoundError();
      const clone = plan.clone(change, this.clock.now());
      await em.persist(clone).flush();
      return clone.id;
    });
  }

  /** For other modules, within their transaction: a plan of the Clinic, or null. */
  findPlan(clinicId: number, id: number): Promise<DesignPlan | null> {
    return this.em.findOne(DesignPlan, { clinicId, id });
  }

  /** For other modules, within their transaction: what a plan says, or said, at a revision; or null. */
  findContent(plan: DesignPlan, revision: number): Promise<PlanContent | null> {
    if (revision === plan.revision) return Promise.resolve(plan);
    const { clinicId, id: designPlanId } = plan;
    return this.em.findOne(DesignPlanRevision, { clinicId, designPlanId, revision });
  }

  private async requireLocked(clinic: Clinic, id: number): Promise<DesignPlan> {
    const plan = await this.em.findOne(
      DesignPlan,
      { clinicId: clinic.id, id },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (plan === null) throw new NotFoundError();
    return plan;
  }

  /** The request as data of an entity, once everything in it has been found usable. */
  private async planData(
    clinic: Clinic,
    request: CreateDesignPlan,
    requestZone: string | undefined,
    fallbackDate: Temporal.Instant,
    base = '',
  ): Promise<DesignPlanData> {
    if (request.clinicId !== undefined && request.clinicId !== clinic.id) {
      throw new ForbiddenError('A plan can only be written for your own Clinic.');
    }
    const createdDate = request.createdDate
      ? toInstant(request.createdDate, requestZone ?? clinic.timeZone)
      : fallbackDate;
    if (!isStorable(createdDate)) {
      throw new InvalidRequestError([{ pointer: `${base}/createdDate`, detail: 'must be in the years 1 to 9999' }]);
    }
    await this.requireUsable(clinic.id, request, base);
    return { ...request, createdDate };
  }

  private async requireUsable(clinicId: number, request: CreateDesignPlan, base: string): Promise<void> {
    const violations: Violation[] = [];
    if (request.caregiverId !== undefined && !(await this.directory.hasCareProvider(clinicId, request.caregiverId))) {
      violations.push({ pointer: `${base}/caregiverId`, detail: 'must be a Care Provider of the Clinic' });
    }
    const assignments = request.weeks.flatMap((week) => week.assignments);
    const usable = await this.directory.usableBookIds(
      clinicId,
      assignments.map((assignment) => assignment.bookId),
    );
    request.weeks.forEach((week, w) =>
      week.assignments.forEach((assignment, a) => {
        if (usable.has(assignment.bookId)) return;
        violations.push({
          pointer: `${base}/weeks/${w}/assignments/${a}/bookId`,
          detail: 'must be a Book that the Clinic may use',
        });
      }),
    );
    if (violations.length > 0) throw new UnprocessableError(violations);
  }
}
