import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { findClientRecordIds, type ExportedClient, type ExportPage } from '../../shared/client-export/index.js';
import { TenantEntityManager, UNTRACKED } from '../../shared/persistence/index.js';
import { SessionSeries } from '../domain/session-series.entity.js';
import { Session } from '../domain/session.entity.js';
import { toExportedSeries, type ExportedSeries } from './exported-series.js';
import type { SessionModel } from '../reading/dto/session-model.js';
import { SessionReader } from '../reading/session.reader.js';

/**
 * A Design Plan that was applied to a Client. If `revision` is null, only the title or description was taken from the
 * plan.
 */
type AppliedPlan = { designPlanId: number; revision: number | null };

/** The number of plans per page is low, because one plan can be a megabyte in size. */
const PLANS_PER_PAGE = 4;
const INCLUDE = new Set(['careProvider', 'books'] as const);

/** Reads the series and Sessions of a Client, and finds the plans that were applied, for the export of the Client. */
@Injectable()
export class SessionExportSource {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly sessions: SessionReader,
  ) {}

  /** Reads Sessions in all states, with their homework, Care Provider and Books. */
  async readSessions(
    { clinicId, clientId }: ExportedClient,
    after?: number,
  ): Promise<ExportPage<SessionModel, number>> {
    const own = sql`select id from session where clinic_id = ${clinicId} and client_id = ${clientId}`;
    const { ids, next } = await findClientRecordIds(this.em, own, after, Number);
    const found = await this.em.find(Session, { clinicId, id: { $in: ids } }, { ...UNTRACKED, orderBy: { id: 'asc' } });
    const models = await this.sessions.toModels(undefined, found, { include: INCLUDE });
    return { items: [...models.values()], next };
  }

  async readSeries(
    { clinicId, clientId }: ExportedClient,
    after?: string,
  ): Promise<ExportPage<ExportedSeries, string>> {
    const own = sql`
      select distinct series_id as id from session where clinic_id = ${clinicId} and client_id = ${clientId}`;
    const { ids, next } = await findClientRecordIds(this.em, own, after, String);
    const order = { orderBy: { id: 'asc' } } as const;
    const found = await this.em.find(SessionSeries, { clinicId, id: { $in: ids } }, { ...UNTRACKED, ...order });
    return { items: found.map(toExportedSeries), next };
  }

  /** Finds the plans that were applied to the Client. Another module reads their content. */
  async findAppliedPlans(
    { clinicId, clientId }: ExportedClient,
    after: AppliedPlan = { designPlanId: 0, revision: 0 },
  ): Promise<ExportPage<AppliedPlan, AppliedPlan>> {
    const { rows } = await sql<{ id: string; revision: number }>`
      select id, revision from (
        select distinct s.design_plan_id as id, coalesce(series.revision, 0) as revision
        from session s join session_series series on series.clinic_id = s.clinic_id and series.id = s.series_id
        where s.clinic_id = ${clinicId} and s.client_id = ${clientId} and s.design_plan_id is not null) as applied
      where (id, revision) > (${after.designPlanId}::bigint, ${after.revision ?? 0}::int)
      order by id, revision limit ${PLANS_PER_PAGE}`.execute(this.em.getKysely());
    const items = rows.map(({ id, revision }) => ({ designPlanId: Number(id), revision: revision || null }));
    return { items, next: items.length < PLANS_PER_PAGE ? undefined : items.at(-1) };
  }

  /**
   * Returns a text that differs if records of the Client were removed in the meantime, or another revision of a plan was
   * applied.
   */
  async findState({ clinicId, clientId }: ExportedClient): Promise<string> {
    const { rows } = await sql<{ state: string }>`
      select concat_ws(' ',
        (select coalesce(sum(hashtextextended(name, 0)::numeric), 0) from removed_record
          where clinic_id = ${clinicId} and client_id = ${clientId}),
        (select string_agg(distinct concat_ws('/', s.design_plan_id, series.revision), ' ')
          from session s join session_series series on series.clinic_id = s.clinic_id and series.id = s.series_id
          where s.clinic_id = ${clinicId} and s.client_id = ${clientId} and s.design_plan_id is not null)) as state`.execute(
      this.em.getKysely(),
    );
    return rows[0]!.state;
  }
}
