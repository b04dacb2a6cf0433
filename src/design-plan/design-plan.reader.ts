import { type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Directory, matchesName } from '../directory/index.js';
import { getRecordId, type StaffPrincipal } from '../shared/access/index.js';
import { NotFoundError } from '../shared/errors/index.js';
import {
  toAfterKeyFilter,
  formatInstant,
  toOneOfFilters,
  UNTRACKED,
  TenantEntityManager,
} from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import {
  countItemsIfRequested,
  cursorInstantSchema,
  openSyncPass,
  parseCursor,
  takeSyncChanges,
  toPage,
  toSyncPage,
  type Page,
  type PageQuery,
  type SyncPage,
  type SyncPass,
} from '../shared/validation/index.js';
import { DesignPlanRevision } from './domain/design-plan-revision.entity.js';
import { DesignPlan } from './domain/design-plan.entity.js';
import { DesignPlanNameSearch, matchesPlanFilters } from './design-plan-name-search.js';
import { toDesignPlanDocument, type DesignPlanDocument } from './dto/design-plan-document.js';
import {
  toDesignPlanSummary,
  toDesignPlanRevisionModel,
  toDesignPlanRevisionSummary,
  type DesignPlanQuery,
  type DesignPlanRevisionModel,
  type DesignPlanRevisionSummary,
  type DesignPlanSummary,
} from './dto/design-plan-model.js';
import { comparePlanWeeks, type PlanDiff } from './domain/plan-diff.js';

/** The sort key of a plan: the time by which the list is sorted, and the ID. */
const planKey = z.tuple([cursorInstantSchema, z.int()]);
/** PostgreSQL stores revisions as 32-bit integers. */
const revisionKey = z.tuple([z.int32()]);

/** The content of a plan at one revision: the plan itself, or an earlier revision. */
type ReadonlyRevision = Readonly<DesignPlan> | Readonly<DesignPlanRevision>;

/** Reads Design Plans for the Clinic and its Care Providers. */
@Injectable()
export class DesignPlanReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
    private readonly names: DesignPlanNameSearch,
  ) {}

  /** @throws NotFoundError when the plan does not exist or belongs to another Clinic */
  getPlan(caller: StaffPrincipal, id: number): Promise<Readonly<DesignPlan>> {
    return this.em.transactional(() => this.requirePlan(caller, id));
  }

  /** Returns the plans of the caller's Clinic, or the changes since a sync token, without the weeks. */
  listPlans(caller: StaffPrincipal, query: DesignPlanQuery): Promise<SyncPage<DesignPlanSummary>> {
    return this.em.transactional(async (em) => {
      const list = ['design-plan', caller.role, getRecordId(caller)];
      const scope = { list, filters: pickPlanFilters(query), defaultSort: 'createdDate', key: z.int() };
      const pass = openSyncPass(query, scope, this.clock.now());
      const clinic = await this.directory.requireStaffClinic(caller);
      if (pass !== undefined) return this.readChanges(clinic.id, query, pass);
      const { field, direction } = query.sort;
      if (query.name !== undefined || field === 'name') return this.names.searchPlans(clinic.id, query);
      const key = parseCursor(query.cursor, planKey, query.sort);
      const rest = key === undefined ? {} : toAfterKeyFilter(field, direction, ...key);
      const plans = await em.find(
        DesignPlan,
        { clinicId: clinic.id, $and: [toPlanFilter(query), rest] },
        { orderBy: { [field]: direction, id: direction }, limit: query.limit + 1, exclude: ['weeks'] },
      );
      const toKey = (plan: DesignPlan) => [formatInstant(plan[field]), plan.id];
      const listed = { clinicId: clinic.id, $and: [toPlanFilter(query)] };
      const count = await countItemsIfRequested(query.count, (maximum) => em.countUpTo(DesignPlan, listed, maximum));
      return { ...toPage(plans as DesignPlan[], query.limit, toKey, toDesignPlanSummary, query.sort), ...count };
    });
  }

  /**
   * Returns the changed plans, in the order in which they were changed. A plan that does not match the filters is
   * returned as a tombstone.
   */
  private async readChanges(
    clinicId: number,
    query: DesignPlanQuery,
    pass: SyncPass,
  ): Promise<SyncPage<DesignPlanSummary>> {
    const { since, after } = pass;
    const range = [
      since === undefined ? toPlanFilter(query) : { updatedAt: { $gte: since } },
      after === undefined ? {} : toAfterKeyFilter('updatedAt', 'asc', after.at, after.id),
    ];
    const changed = await this.em.find(
      DesignPlan,
      { clinicId, $and: range },
      { orderBy: { updatedAt: 'asc', id: 'asc' }, limit: query.limit + 1, exclude: ['weeks'] },
    );
    const items = (changed as DesignPlan[])
      .map(toDesignPlanSummary)
      .filter((plan) => matchesPlanFilters(plan, query) && matchesName(plan.planName, query.name))
      .map((plan) => [plan.id, plan] as const);
    const rows = changed.map(({ id, updatedAt: at, version }) => ({ id, at, version }));
    return toSyncPage(pass, takeSyncChanges(rows, query.limit), new Map(items));
  }

  /**
   * Returns one revision of a plan.
   *
   * @throws NotFoundError if the plan or the revision does not exist
   */
  getRevision(caller: StaffPrincipal, id: number, revision: number): Promise<DesignPlanRevisionModel> {
    return this.em.transactional(async () => {
      const plan = await this.requirePlan(caller, id);
      return toDesignPlanRevisionModel(await this.requireRevision(plan, revision));
    });
  }

  /**
   * Returns the revisions of a plan, newest first, without their weeks.
   *
   * @throws NotFoundError if the plan does not exist
   */
  listRevisions(caller: StaffPrincipal, id: number, query: PageQuery): Promise<Page<DesignPlanRevisionSummary>> {
    return this.em.transactional(async (em) => {
      const plan = await this.requirePlan(caller, id);
      const [before] = parseCursor(query.cursor, revisionKey) ?? [];
      const earlier = await em.find(
        DesignPlanRevision,
        { clinicId: plan.clinicId, designPlanId: id, ...(before === undefined ? {} : { revision: { $lt: before } }) },
        // The weeks of one revision have up to a megabyte.
        { orderBy: { revision: 'desc' }, limit: query.limit + 1, exclude: ['weeks'] },
      );
      const rows = before === undefined ? [plan, ...earlier] : earlier;
      return toPage(rows, query.limit, (row) => [row.revision], toDesignPlanRevisionSummary);
    });
  }

  /**
   * Compares two revisions of a plan.
   *
   * @throws NotFoundError if the plan or one of the revisions does not exist
   */
  compareRevisions(caller: StaffPrincipal, id: number, from: number, to: number): Promise<PlanDiff> {
    return this.em.transactional(async () => {
      const plan = await this.requirePlan(caller, id);
      const [before, after] = [await this.requireRevision(plan, from), await this.requireRevision(plan, to)];
      return comparePlanWeeks(before.weeks, after.weeks);
    });
  }

  /**
   * Returns the plan as an export document.
   *
   * @throws NotFoundError if the plan does not exist
   */
  exportPlan(caller: StaffPrincipal, id: number): Promise<DesignPlanDocument> {
    return this.em.transactional(async () => toDesignPlanDocument(await this.requirePlan(caller, id)));
  }

  /**
   * Finds a read-only plan of the caller's Clinic within the caller's transaction.
   *
   * @throws ForbiddenError when a record that the token names does not exist or is not active
   * @throws NotFoundError when the plan does not exist or belongs to another Clinic
   */
  async requirePlan(caller: StaffPrincipal, id: number): Promise<Readonly<DesignPlan>> {
    const plan = await this.em.findOne(
      DesignPlan,
      { clinicId: this.directory.buildStaffClinicIdSql(caller), id },
      UNTRACKED,
    );
    if (plan !== null) return plan;
    await this.directory.requireStaffClinic(caller);
    throw new NotFoundError();
  }

  /** Finds a read-only plan of the Clinic within the caller's transaction. Returns null if there is none. */
  findPlan(clinicId: number, id: number): Promise<Readonly<DesignPlan> | null> {
    return this.em.findOne(DesignPlan, { clinicId, id }, UNTRACKED);
  }

  /**
   * Finds a read-only revision of a plan within the caller's transaction: the plan itself if it is the current one.
   * Returns null if there is none.
   */
  findRevision(plan: Readonly<DesignPlan>, revision: number): Promise<ReadonlyRevision | null> {
    if (revision === plan.revision) return Promise.resolve(plan);
    const { clinicId, id: designPlanId } = plan;
    return this.em.findOne(DesignPlanRevision, { clinicId, designPlanId, revision }, UNTRACKED);
  }

  private async requireRevision(plan: Readonly<DesignPlan>, revision: number): Promise<ReadonlyRevision> {
    const found = await this.findRevision(plan, revision);
    if (found === null) throw new NotFoundError();
    return found;
  }
}

/** Returns the parameters of a list query that select plans: those for paging, order and content are left out. */
function pickPlanFilters({ name, caregiverId, archived, template }: DesignPlanQuery) {
  return { name, caregiverId, archived, template };
}

/**
 * Builds the database condition for a list query. The name is not part of it, because the database cannot compare names
 * once they are encrypted.
 */
function toPlanFilter({ caregiverId, archived, template }: DesignPlanQuery): FilterQuery<DesignPlan> {
  return {
    archivedAt: archived ? { $ne: null } : null,
    ...toOneOfFilters({ caregiverId }),
    ...(template === undefined ? {} : { template }),
  };
}
