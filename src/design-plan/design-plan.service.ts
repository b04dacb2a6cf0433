import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Directory } from '../directory/index.js';
import type { ClinicPrincipal } from '../shared/access/index.js';
import {
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  UnprocessableError,
  type Violation,
} from '../shared/errors/index.js';
import { isStorable } from '../shared/persistence/index.js';
import { Clock, toInstant } from '../shared/time/index.js';
import { DesignPlan } from './design-plan.entity.js';
import type { CreateDesignPlan } from './dto/create-design-plan.js';
import { viewDesignPlan, type DesignPlanModel } from './dto/design-plan-model.js';

/** Design Plans: schedules of homework that a Clinic writes. */
@Injectable()
export class DesignPlanService {
  constructor(
    private readonly em: EntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a plan (specification 4.1) and returns its id.
   *
   * @param requestZone where the wall clock of the request stands; undefined: the Clinic's zone
   * @throws ForbiddenError for another Clinic's id
   * @throws UnprocessableError for a Care Provider or Books that the Clinic cannot use
   */
  createPlan(caller: ClinicPrincipal, request: CreateDesignPlan, requestZone?: string): Promise<number> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      if (request.clinicId !== undefined && request.clinicId !== clinic.id) {
        throw new ForbiddenError('A plan can only be created for your own Clinic.');
      }
      const createdDate = request.createdDate
        ? toInstant(request.createdDate, requestZone ?? clinic.timeZone)
        : this.clock.now();
      if (!isStorable(createdDate))
        throw new InvalidRequestError([{ pointer: '/createdDate', detail: 'must be in the years 1 to 9999' }]);
      await this.requireUsable(clinic.id, request);
      const plan = new DesignPlan(clinic.id, { ...request, createdDate });
      await em.persist(plan).flush();
      return plan.id;
    });
  }

  /** @throws NotFoundError also for a plan of another Clinic */
  getPlan(caller: ClinicPrincipal, id: number): Promise<DesignPlanModel> {
    return this.em.transactional(async () => {
      const clinic = await this.directory.requireClinic(caller);
      const plan = await this.findPlan(clinic.id, id);
      if (plan === null) throw new NotFoundError();
      return viewDesignPlan(plan);
    });
  }

  /** For other modules, within their transaction: a plan of the Clinic, or null. */
  findPlan(clinicId: number, id: number): Promise<DesignPlan | null> {
    return this.em.findOne(DesignPlan, { clinicId, id });
  }

  private async requireUsable(clinicId: number, request: CreateDesignPlan): Promise<void> {
    const violations: Violation[] = [];
    if (request.caregiverId !== undefined && !(await this.directory.hasCareProvider(clinicId, request.caregiverId))) {
      violations.push({ pointer: '/caregiverId', detail: 'must be a Care Provider of the Clinic' });
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
          pointer: `/weeks/${w}/assignments/${a}/bookId`,
          detail: 'must be a Book that the Clinic may use',
        });
      }),
    );
    if (violations.length > 0) throw new UnprocessableError(violations);
  }
}
