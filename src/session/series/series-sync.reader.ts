import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { getRecordId, type StaffPrincipal } from '../../shared/access/index.js';
import { joinConditions, TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { openSyncPass, takeSyncChanges, type SyncChanges, type SyncPass } from '../../shared/validation/index.js';
import {
  removedSeriesSql,
  seriesOfChangedSessionsSql,
  seriesVersionSql,
  sessionVersionsSql,
} from '../scheduling/changed-series.sql.js';
import { visibleSessionsSql } from '../scheduling/session-visibility.js';
import { remainingChangesSql } from '../scheduling/sync-range.sql.js';
import { pickSeriesFilters, type SeriesQuery } from './dto/series-list.js';

type ChangeRow = { id: string; at: number; version: number };

/** Finds what has changed in a list of series since a sync token was issued. */
@Injectable()
export class SeriesSyncReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly clock: Clock,
  ) {}

  /** Returns undefined if the call does not synchronise. Call it before the first statement of the transaction. */
  openPass(caller: StaffPrincipal, query: SeriesQuery): SyncPass<string> | undefined {
    const list = ['series', caller.role, getRecordId(caller)];
    const scope = { list, filters: pickSeriesFilters(query), defaultSort: 'createdAt', key: z.uuid() };
    return openSyncPass(query, scope, this.clock.now());
  }

  /**
   * Finds the series that have changed or were removed, or of which a Session has changed. For a Care Provider also those
   * that they see or no longer see because of an assignment. Each part reads a range of an index, and at most one page.
   */
  async findChanges(
    caller: StaffPrincipal,
    clinicId: number,
    query: SeriesQuery,
    pass: SyncPass<string>,
  ): Promise<SyncChanges<string>> {
    const parts = toParts(caller, clinicId, query, pass);
    const limited = parts.map((part) => sql`(${part} order by 1, 2 limit ${query.limit + 1})`);
    const { rows } = await sql<ChangeRow>`
      select id, (extract(epoch from at) * 1000)::float8 as at,
        ${seriesVersionSql(clinicId, sql`change.id`)} + ${sessionVersionsSql(clinicId, sql`change.id`)} as version
      from (select * from (${sql.join(limited, sql` union `)}) as part order by at, id limit ${query.limit + 1}) as change
      order by at, id`.execute(this.em.getKysely());
    const changes = rows.map(({ id, at, version }) => ({
      ...{ id, version },
      at: Temporal.Instant.fromEpochMilliseconds(Math.round(at)),
    }));
    return takeSyncChanges(changes, query.limit);
  }
}

function toParts(
  caller: StaffPrincipal,
  clinicId: number,
  query: SeriesQuery,
  pass: SyncPass<string>,
): RawBuilder<unknown>[] {
  const visible = caller.role === 'CLINIC' ? sql`` : sql`and ${visibleSessionsSql(clinicId, caller.caregiverId, 's')}`;
  const range = remainingChangesSql(sql`s.updated_at`, sql`s.series_id`, pass);
  const parts = [
    seriesOfChangedSessionsSql(clinicId, sql`${visible} ${unchangeable(query)} ${range}`),
    changedSeries(clinicId, query, pass, visible),
    removedSeriesSql(
      clinicId,
      sql`${visible} ${unchangeable(query)} ${remainingChangesSql(sql`s.removed_at`, sql`s.series_id`, pass)}`,
    ),
  ];
  if (caller.role === 'CARE_PROVIDER')
    parts.push(
      assignedSeries(clinicId, caller.caregiverId, query, pass),
      hiddenSeries(clinicId, caller.caregiverId, query, pass),
    );
  return parts;
}

/** The series that have changed themselves, without their Sessions, and of which the caller can see a Session. */
function changedSeries(
  clinicId: number,
  query: SeriesQuery,
  pass: SyncPass<string>,
  visible: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select series.changed_at as at, series.id from session_series series
    where series.clinic_id = ${clinicId} and series.changed_at is not null
      ${remainingChangesSql(sql`series.changed_at`, sql`series.id`, pass)}
      and exists (
        select from session s where s.clinic_id = series.clinic_id and s.series_id = series.id ${visible} ${unchangeable(query)})`;
}

/** The series of Clients who have been assigned to the Care Provider since. For each of them, an index is read. */
function assignedSeries(
  clinicId: number,
  careProviderId: number,
  query: SeriesQuery,
  pass: SyncPass<string>,
): RawBuilder<unknown> {
  return sql`
    select a.assigned_at as at, s.series_id as id
    from client_assignment a cross join lateral (
      select distinct s.series_id from session s
      where s.clinic_id = a.clinic_id and s.client_id = a.client_id ${unchangeable(query)}) s
    where a.clinic_id = ${clinicId} and a.care_provider_id = ${careProviderId}
      ${remainingChangesSql(sql`a.assigned_at`, sql`s.series_id`, pass)}`;
}

/** The series with a Session that the Care Provider can no longer see. */
function hiddenSeries(
  clinicId: number,
  careProviderId: number,
  query: SeriesQuery,
  pass: SyncPass<string>,
): RawBuilder<unknown> {
  return sql`
    select distinct h.hidden_at as at, s.series_id as id
    from hidden_session h join session s on s.clinic_id = h.clinic_id and s.id = h.session_id
    where h.clinic_id = ${clinicId} and h.care_provider_id = ${careProviderId}
      ${unchangeable(query)} ${remainingChangesSql(sql`h.hidden_at`, sql`s.series_id`, pass)}`;
}

/** Filters by what never changes: series that do not match cannot have been in the list. */
function unchangeable({ clientId, designPlanId }: SeriesQuery): RawBuilder<unknown> {
  return joinConditions([
    clientId && sql`and s.client_id = any(${clientId}::bigint[])`,
    designPlanId && sql`and s.design_plan_id = any(${designPlanId}::bigint[])`,
  ]);
}
