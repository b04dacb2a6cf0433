import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { getRecordId, type StaffPrincipal } from '../../shared/access/index.js';
import { concatenateAndConditions, TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { openSyncPass, takeSyncChanges, type SyncChanges, type SyncPass } from '../../shared/validation/index.js';
import {
  removedSeriesSql,
  seriesOfChangedSessionsSql,
  seriesVersionSql,
  sumOfSessionVersionsSql,
} from '../scheduling/changed-series.sql.js';
import { knownSessionsSql } from '../scheduling/known-sessions.sql.js';
import { visibleSessionsConditionSql } from '../scheduling/session-visibility.sql.js';
import { remainingChangesConditionSql } from '../scheduling/sync-range.sql.js';
import { pickSeriesFilters, type SeriesQuery } from './dto/series-list.js';

type ChangeRow = { id: string; at: number; version: number };

/** Finds the changes in a list of series since a sync token was issued. */
@Injectable()
export class SeriesSyncReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts or continues the synchronisation that a query requests, or returns undefined if it requests none. Call this
   * before the first statement of the transaction, so that no change is missed.
   */
  openPass(caller: StaffPrincipal, query: SeriesQuery): SyncPass<string> | undefined {
    const list = ['series', caller.role, getRecordId(caller)];
    const scope = { list, filters: pickSeriesFilters(query), defaultSort: 'createdAt', key: z.uuid() };
    return openSyncPass(query, scope, this.clock.now());
  }

  /**
   * Finds series that have been changed or removed, or one of whose Sessions has changed. For a Care Provider, also
   * finds those that an assignment has made visible or hidden. Each part of the query reads a range of an index and at
   * most one page of rows.
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
        ${seriesVersionSql(clinicId, sql`change.id`)} + ${sumOfSessionVersionsSql(clinicId, sql`change.id`)} as version
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
  const visible =
    caller.role === 'CLINIC' ? sql`` : sql`and ${visibleSessionsConditionSql(clinicId, caller.caregiverId, 's')}`;
  const range = remainingChangesConditionSql(sql`s.updated_at`, sql`s.series_id`, pass);
  const parts = [
    seriesOfChangedSessionsSql(clinicId, sql`${visible} ${immutableFilterConditionsSql(query)} ${range}`),
    changedSeries(clinicId, query, pass, visible),
    removedSeriesSql(
      clinicId,
      sql`${visible} ${immutableFilterConditionsSql(query)} ${remainingChangesConditionSql(sql`s.removed_at`, sql`s.series_id`, pass)}`,
    ),
  ];
  if (caller.role === 'CARE_PROVIDER')
    parts.push(
      assignedSeries(clinicId, caller.caregiverId, query, pass),
      hiddenSeries(clinicId, caller.caregiverId, query, pass),
    );
  return parts;
}

/** Selects series whose own row has changed and of which the caller can see at least one Session. */
function changedSeries(
  clinicId: number,
  query: SeriesQuery,
  pass: SyncPass<string>,
  visible: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select series.changed_at as at, series.id from session_series series
    where series.clinic_id = ${clinicId} and series.changed_at is not null
      ${remainingChangesConditionSql(sql`series.changed_at`, sql`series.id`, pass)}
      and exists (
        select from session s where s.clinic_id = series.clinic_id and s.series_id = series.id ${visible} ${immutableFilterConditionsSql(query)})`;
}

/**
 * Selects the series of Clients who have been assigned to the Care Provider in the meantime. Reads a range of an index
 * for each Client.
 */
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
      where s.clinic_id = ${clinicId} and s.client_id = a.client_id ${immutableFilterConditionsSql(query)}) s
    where a.clinic_id = ${clinicId} and a.care_provider_id = ${careProviderId}
      ${remainingChangesConditionSql(sql`a.assigned_at`, sql`s.series_id`, pass)}`;
}

/**
 * Selects series with a Session that may have become invisible to the Care Provider. The Session itself may have been
 * removed in the meantime.
 */
function hiddenSeries(
  clinicId: number,
  careProviderId: number,
  query: SeriesQuery,
  pass: SyncPass<string>,
): RawBuilder<unknown> {
  return sql`
    select distinct h.hidden_at as at, s.series_id as id
    from hidden_session h join ${knownSessionsSql()} s on s.clinic_id = h.clinic_id and s.id = h.session_id
    where h.clinic_id = ${clinicId} and h.care_provider_id = ${careProviderId}
      ${immutableFilterConditionsSql(query)} ${remainingChangesConditionSql(sql`h.hidden_at`, sql`s.series_id`, pass)}`;
}

/**
 * Builds a condition from those filters whose columns never change. A series that does not match them was never in the
 * list.
 */
function immutableFilterConditionsSql({ clientId, designPlanId }: SeriesQuery): RawBuilder<unknown> {
  return concatenateAndConditions([
    clientId && sql`and s.client_id = any(${clientId}::bigint[])`,
    designPlanId && sql`and s.design_plan_id = any(${designPlanId}::bigint[])`,
  ]);
}
