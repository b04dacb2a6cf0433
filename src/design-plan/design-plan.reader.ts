import { type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Directory, type ClinicReference } from '../directory/index.js';
import type { CareProviderPrincipal, ClinicPrincipal } from '../shared/access/index.js';
import { NotFoundError } from '../shared/errors/index.js';
import { UNTRACKED, TenantEntityManager } from '../shared/persistence/index.js';
import { parseCursor, invalidCursorError, toPage, type Page, type PageQuery } from '../shared/validation/index.js';
import { DesignPlanRevision } from './domain/design-plan-revision.entity.js';
import { DesignPlan } from './domain/design-plan.entity.js';
import { toDesignPlanDocument, type DesignPlanDocument } from './dto/design-plan-document.js';
import {
  toDesignPlanSummary,
  toDesignPlanRevisionModel,
  type DesignPlanQuery,
  type DesignPlanRevisionModel,
  type DesignPlanSummary,
} from './dto/design-plan-model.js';
import { comparePlans, type PlanDiff } from './domain/plan-diff.js';

type PlanReader = ClinicPrincipal | CareProviderPrincipal;

/** Reads Design Plans for the Clinic and its Care Providers. */
@Injectable()
export class DesignPlanReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
  ) {}

  /** @throws NotFoundError when the plan does not exist or belongs to another Clinic */
  getPlan(caller: PlanReader, id: number): Promise<Readonly<DesignPlan>> {
    return this.em.transactional(() => this.requirePlan(caller, id));
  }

  /** Returns the plans of the caller's Clinic, without their weeks. */
  listPlans(caller: PlanReader, query: DesignPlanQuery): Promise<Page<DesignPlanSummary>> {
    return this.em.transactional(async (em) => {
      const clinic = await this.directory.requireStaffClinic(caller);
      const order = toSortOrder(query.sort);
      const last = await this.findCursorPlan(clinic, query.cursor);
      const plans = await em.find(
        DesignPlan,
        { clinicId: clinic.id, $and: [toPlanFilter(query), toCursorFilter(last, order)] },
        {
          orderBy: { [order.field]: order.direction, id: order.direction },
          limit: query.limit + 1,
          exclude: ['weeks'],
        },
      );
      return toPage(plans as DesignPlan[], query.limit, (plan) => [plan.id], toDesignPlanSummary);
    });
  }

  /**
   * Finds the last plan on the previous page. The cursor contains only the plan's ID, because a name may be too long
   * for a URL and must not appear in one.
   */
  private async findCursorPlan(
    { id: clinicId }: ClinicReference,
    cursor: string | undefined,
  ): Promise<Readonly<DesignPlan> | undefined> {
    const [id] = parseCursor(cursor, z.tuple([z.int()])) ?? [];
    if (id === undefined) return undefined;
    const last = await this.em.findOne(DesignPlan, { clinicId, id }, UNTRACKED);
    if (last === null) throw invalidCursorError();
    return last;
  }

  /** Returns one revision of a plan. @throws NotFoundError */
  getRevision(caller: PlanReader, id: number, revision: number): Promise<DesignPlanRevisionModel> {
    return this.em.transactional(async () => {
      const plan = await this.requirePlan(caller, id);
      return toDesignPlanRevisionModel(await this.requireRevision(plan, revision));
    });
  }

  /** Returns the revisions of a plan, newest first, without their weeks. @throws NotFoundError */
  listRevisions(
    caller: PlanReader,
    id: number,
    query: PageQuery,
  ): Promise<Page<Omit<DesignPlanRevisionModel, 'weeks'>>> {
    return this.em.transactional(async (em) => {
      const plan = await this.requirePlan(caller, id);
      const [before] = parseCursor(query.cursor, z.tuple([z.int()])) ?? [];
      const earlier = await em.find(
        DesignPlanRevision,
        { clinicId: plan.clinicId, designPlanId: id, ...(before === undefined ? {} : { revision: { $lt: before } }) },
        { orderBy: { revision: 'desc' }, limit: query.limit + 1 },
      );
      const rows = before === undefined ? [plan, ...earlier] : earlier;
      return toPage(
        rows,
        query.limit,
        (row) => [row.revision],
        (row) => {
          const { weeks: _, ...summary } = toDesignPlanRevisionModel(row);
          return summary;
        },
      );
    });
  }

  /** Compares two revisions of a plan. @throws NotFoundError */
  compareRevisions(caller: PlanReader, id: number, from: number, to: number): Promise<PlanDiff> {
    return this.em.transactional(async () => {
      const plan = await this.requirePlan(caller, id);
      const [before, after] = [await this.requireRevision(plan, from), await this.requireRevision(plan, to)];
      return comparePlans(before.weeks, after.weeks);
    });
  }

  /** Returns the plan as an export document. @throws NotFoundError */
  exportPlan(caller: PlanReader, id: number): Promise<DesignPlanDocument> {
    return this.em.transactional(async () => toDesignPlanDocument(await this.requirePlan(caller, id)));
  }

  /**
   * Finds a read-only plan of the caller's Clinic within the caller's transaction.
   *
   * @throws ForbiddenError when a record that the token names does not exist or is not active
   * @throws NotFoundError when the plan does not exist or belongs to another Clinic
   */
  async requirePlan(caller: PlanReader, id: number): Promise<Readonly<DesignPlan>> {
    const plan = await this.em.findOne(
      DesignPlan,
      { clinicId: this.directory.staffClinicIdSql(caller), id },
      UNTRACKED,
    );
    if (plan !== null) return plan;
    await this.directory.requireStaffClinic(caller);
    throw new NotFoundError();
  }

  private async requireRevision(
    plan: Readonly<DesignPlan>,
    revision: number,
  ): Promise<Readonly<DesignPlan> | DesignPlanRevision> {
    if (revision === plan.revision) return plan;
    const { clinicId, id: designPlanId } = plan;
    const earlier = await this.em.findOne(DesignPlanRevision, { clinicId, designPlanId, revision });
    if (earlier === null) throw new NotFoundError();
    return earlier;
  }
}

function toPlanFilter({ name, caregiverId, archived, template }: DesignPlanQuery): FilterQuery<DesignPlan> {
  return {
    archivedAt: archived ? { $ne: null } : null,
    ...(name === undefined ? {} : { planName: { $ilike: `%${name.replaceAll(/[\\%_]/g, '\\$&')}%` } }),
    ...(caregiverId === undefined ? {} : { caregiverId }),
    ...(template === undefined ? {} : { template }),
  };
}

type SortOrder = { field: 'planName' | 'createdDate'; direction: 'asc' | 'desc' };

function toSortOrder(sort: DesignPlanQuery['sort']): SortOrder {
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  return { field: sort.endsWith('name') ? 'planName' : 'createdDate', direction };
}

/** Selects the plans after `last`. Plans with the same sort key are ordered by ID. */
function toCursorFilter(
  last: Readonly<DesignPlan> | undefined,
  { field, direction }: SortOrder,
): FilterQuery<DesignPlan> {
  if (last === undefined) return {};
  const beyond = direction === 'asc' ? '$gt' : '$lt';
  return { $or: [{ [field]: { [beyond]: last[field] } }, { [field]: last[field], id: { [beyond]: last.id } }] };
}
