import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Directory, ParticipantLocks, type Clinic } from '../directory/index.js';
import type { ClinicPrincipal } from '../shared/access/index.js';
import {
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  requireVersion,
  UnprocessableError,
  type Violation,
} from '../shared/errors/index.js';
import { bulkInsert, isStorableInstant, TenantEntityManager } from '../shared/persistence/index.js';
import { Clock, toInstant } from '../shared/time/index.js';
import { DesignPlanReader } from './design-plan.reader.js';
import { DesignPlan, type DesignPlanData } from './domain/design-plan.entity.js';
import type { CreateDesignPlan, ReplaceDesignPlan } from './dto/create-design-plan.js';
import type { CloneDesignPlan } from './dto/design-plan-document.js';
import { collectBookIds } from './domain/plan-content.js';

/** The circumstances under which a request is converted to the data of a plan. */
type PlanContext = {
  /** Time zone of local times in the request; undefined means the Clinic's. */
  requestZone: string | undefined;
  /** The date of creation if the request contains none. */
  fallbackDate: Temporal.Instant;
  /** JSON pointer to the plan within the request body; by default, the plan is the whole body. */
  base?: string;
  /** The plan that the request replaces; absent if it creates one. */
  current?: DesignPlan;
};

/** Creates and changes Design Plans. Each call is one transaction. */
@Injectable()
export class DesignPlanService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly reader: DesignPlanReader,
    private readonly directory: Directory,
    private readonly participantLocks: ParticipantLocks,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a plan (docs/specification.md, "Create a Design Plan") and returns its ID.
   *
   * @param requestZone time zone of local times in the request; defaults to the Clinic's time zone
   * @param base JSON pointer to the plan within the request body
   * @throws ForbiddenError when `clinicId` refers to another Clinic
   * @throws UnprocessableError for a Care Provider or Book that the Clinic cannot use
   */
  createPlan(caller: ClinicPrincipal, request: CreateDesignPlan, requestZone?: string, base = ''): Promise<number> {
    return this.em.transactional(async (em) => {
      const now = this.clock.now();
      const data = await this.toDesignPlanData(caller, request, { requestZone, fallbackDate: now, base });
      const plan = new DesignPlan(caller.clinicId, data, now);
      await bulkInsert(em, DesignPlan, [plan]);
      return plan.id;
    });
  }

  /**
   * Replaces the content of a plan and stores the previous content as a revision, unless both are the same. If
   * `createdDate` is absent, it keeps its current value.
   *
   * @param seenVersion the version that the caller has read
   * @throws PreconditionFailedError when `seenVersion` is not the current version, so only one of several concurrent
   *   calls succeeds
   * @throws ConflictError when the plan is archived
   * @throws UnprocessableError when the request would change what only the service can change
   */
  replacePlan(
    caller: ClinicPrincipal,
    id: number,
    seenVersion: number,
    request: ReplaceDesignPlan,
    requestZone?: string,
  ): Promise<DesignPlan> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireClinic(caller);
      // Locked before the plan, as when a plan is applied. Otherwise, the foreign key check could cause a deadlock.
      if (request.caregiverId !== undefined)
        await this.participantLocks.lockCareProvider(clinic.id, request.caregiverId);
      const plan = await this.lockPlan(clinic, id);
      plan.requireReplaceable(seenVersion, request);
      const data = await this.toDesignPlanData(caller, request, {
        ...{ requestZone, fallbackDate: plan.createdDate },
        current: plan,
      });
      const superseded = plan.replace(data, this.clock.now());
      if (superseded !== undefined) em.persist(superseded);
      return plan;
    });
  }

  /** @throws NotFoundError if the plan does not exist, PreconditionFailedError if it has another version */
  archivePlan(caller: ClinicPrincipal, id: number, seenVersion?: number): Promise<DesignPlan> {
    return this.em.transactional(async () => {
      const plan = await this.lockPlan(await this.directory.requireClinic(caller), id);
      requireVersion(plan, seenVersion);
      plan.archive(this.clock.now());
      return plan;
    });
  }

  /** @throws NotFoundError if the plan does not exist, PreconditionFailedError if it has another version */
  restorePlan(caller: ClinicPrincipal, id: number, seenVersion?: number): Promise<DesignPlan> {
    return this.em.transactional(async () => {
      const plan = await this.lockPlan(await this.directory.requireClinic(caller), id);
      requireVersion(plan, seenVersion);
      plan.restore(this.clock.now());
      return plan;
    });
  }

  /**
   * Creates a copy of a plan and returns the ID of the copy.
   *
   * @throws NotFoundError if the plan does not exist
   */
  clonePlan(caller: ClinicPrincipal, id: number, change: CloneDesignPlan): Promise<number> {
    return this.em.transactional(async (em) => {
      const plan = await this.reader.requirePlan(caller, id);
      const clone = plan.createCopy(change, this.clock.now());
      await bulkInsert(em, DesignPlan, [clone]);
      return clone.id;
    });
  }

  private async lockPlan(clinic: Clinic, id: number): Promise<DesignPlan> {
    const plan = await this.em.findOne(
      DesignPlan,
      { clinicId: clinic.id, id },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (plan === null) throw new NotFoundError();
    return plan;
  }

  /**
   * Validates the references in a request and converts the request to entity data. References that the current plan
   * already has may be to records that have been deactivated since.
   */
  private async toDesignPlanData(
    { clinicId }: ClinicPrincipal,
    request: CreateDesignPlan,
    { requestZone, fallbackDate, base = '', current }: PlanContext,
  ): Promise<DesignPlanData> {
    const { caregiverId } = request;
    const usable = await this.directory.findUsableReferences(clinicId, caregiverId, collectBookIds(request.weeks));
    if (request.clinicId !== undefined && request.clinicId !== clinicId) {
      throw new ForbiddenError('A plan can only be written for your own Clinic.');
    }
    const createdDate = request.createdDate
      ? toInstant(request.createdDate, requestZone ?? usable.timeZone)
      : fallbackDate;
    if (!isStorableInstant(createdDate)) {
      throw new InvalidRequestError([{ pointer: `${base}/createdDate`, detail: 'must be in the years 1 to 9999' }]);
    }
    const bookIds = new Set([...usable.bookIds, ...(current === undefined ? [] : collectBookIds(current.weeks))]);
    const violations = findUnusableBooks(bookIds, request, base);
    if (caregiverId !== undefined && !usable.isCareProviderActive && caregiverId !== current?.caregiverId) {
      violations.unshift({ pointer: `${base}/caregiverId`, detail: 'must be a Care Provider of the Clinic' });
    }
    if (violations.length > 0) throw new UnprocessableError(violations);
    return { ...request, createdDate };
  }
}

/** @param usable IDs of the Books that the Clinic may use */
function findUnusableBooks(usable: ReadonlySet<number>, { weeks }: CreateDesignPlan, base: string): Violation[] {
  return weeks.flatMap((week, w) =>
    week.assignments.flatMap(({ bookId }, a) => {
      if (usable.has(bookId)) return [];
      const pointer = `${base}/weeks/${w}/assignments/${a}/bookId`;
      return [{ pointer, detail: 'must be a Book that the Clinic may use' }];
    }),
  );
}
