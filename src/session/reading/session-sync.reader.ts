import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { getRecordId, type Principal } from '../../shared/access/index.js';
import { toAfterKeyFilter, concatenateAndConditions, TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import {
  openSyncPass,
  takeSyncChanges,
  toSyncPage,
  type SyncPage,
  type SyncPass,
  type SyncPosition,
} from '../../shared/validation/index.js';
import { Session } from '../domain/session.entity.js';
import { knownSessionsSql } from '../scheduling/known-sessions.sql.js';
import type { VisibleSessionsFilter } from '../scheduling/session-lookup.js';
import { visibleSessionsConditionSql } from '../scheduling/session-visibility.sql.js';
import { remainingChangesConditionSql } from '../scheduling/sync-range.sql.js';
import type { SessionQuery } from './dto/session-query.js';
import { pickSessionFilters, toSessionFilter } from './session-filters.js';

/** The Sessions that a caller may see, both as a filter for `find` and as values for SQL conditions. */
type SynchronisableSessions = {
  clinicId: number;
  /** If set, only Sessions that this Care Provider may see: their own, and those of their assigned Clients. */
  careProviderId?: number;
  /** If set, only the Sessions of this Client. */
  clientId?: number;
  visible: VisibleSessionsFilter | { clinicId: number; clientId: number };
};

type SessionChange = SyncPosition & { version: number };
type ChangeRow = { id: string; at: number; version: number };

/** Finds the changes in a list of Sessions since a sync token was issued. */
@Injectable()
export class SessionSyncReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts or continues the synchronisation that a query requests, or returns undefined if it requests none. Call this
   * before the first statement of the transaction, so that no change is missed.
   */
  openPass(caller: Principal, query: SessionQuery): SyncPass | undefined {
    const list = ['session', caller.role, getRecordId(caller)];
    const scope = { list, filters: pickSessionFilters(query), defaultSort: 'startsAt', key: z.int() };
    return openSyncPass(query, scope, this.clock.now());
  }

  /** @param toItems converts Sessions to list items, keyed by Session ID */
  async readPage<Item>(
    pass: SyncPass,
    sessions: SynchronisableSessions,
    query: SessionQuery,
    toItems: (found: Session[]) => Promise<ReadonlyMap<number, Item>>,
  ): Promise<SyncPage<Item>> {
    if (pass.since === undefined) {
      const found = await this.findAll(sessions.visible, query, pass);
      const rows = found.map(({ id, updatedAt: at, version }) => ({ id, at, version }));
      return toSyncPage(pass, takeSyncChanges(rows, query.limit), await toItems(found));
    }
    const changes = await this.findChanges(sessions, query, pass);
    const id = { $in: changes.map((change) => change.id) };
    const listed = await this.em.find(Session, { ...sessions.visible, id, $and: [toSessionFilter(query)] });
    return toSyncPage(pass, takeSyncChanges(changes, query.limit), await toItems(listed));
  }

  /** Reads the whole list, for a synchronisation without a token. It is sorted by the time of the last change. */
  private findAll(
    visible: SynchronisableSessions['visible'],
    query: SessionQuery,
    { after }: SyncPass,
  ): Promise<Session[]> {
    const rest = after === undefined ? {} : toAfterKeyFilter('updatedAt', 'asc', after.at, after.id);
    return this.em.find(
      Session,
      { ...visible, $and: [toSessionFilter(query), rest] },
      { orderBy: { updatedAt: 'asc', id: 'asc' }, limit: query.limit + 1 },
    );
  }

  /**
   * Finds Sessions that have been changed or removed. For a Care Provider, also finds those that an assignment has made
   * visible or hidden. Each part of the query reads a range of an index and at most one page of rows.
   */
  private async findChanges(
    sessions: SynchronisableSessions,
    query: SessionQuery,
    pass: SyncPass,
  ): Promise<SessionChange[]> {
    const parts = [changedSessions(sessions, query, pass), removedSessions(sessions, query, pass)];
    if (sessions.careProviderId !== undefined)
      parts.push(assignedSessions(sessions, query, pass), hiddenSessions(sessions, query, pass));
    const limited = parts.map((part) => sql`(${part} order by 2, 1 limit ${query.limit + 1})`);
    const { rows } = await sql<ChangeRow>`
      select change.id, (extract(epoch from change.at) * 1000)::float8 as at, change.version
      from (${sql.join(limited, sql` union all `)}) as change
      order by change.at, change.id limit ${query.limit + 1}`.execute(this.em.getKysely());
    return rows.map(({ id, at, version }) => ({
      id: Number(id),
      at: Temporal.Instant.fromEpochMilliseconds(Math.round(at)),
      version,
    }));
  }
}

function changedSessions(sessions: SynchronisableSessions, query: SessionQuery, pass: SyncPass): RawBuilder<unknown> {
  const { clinicId, careProviderId, clientId } = sessions;
  const visible =
    careProviderId === undefined ? sql`` : sql`and ${visibleSessionsConditionSql(clinicId, careProviderId, 's')}`;
  const own = clientId === undefined ? sql`` : sql`and s.client_id = ${clientId}`;
  return sql`
    select s.id, s.updated_at as at, s.version from session s
    where s.clinic_id = ${clinicId} ${visible} ${own} ${immutableFilterConditionsSql(query)} ${remainingChangesConditionSql(sql`s.updated_at`, sql`s.id`, pass)}`;
}

/**
 * Selects Sessions that were removed, by retention or by an erasure. Their tombstones contain the columns that the
 * filters need.
 */
function removedSessions(sessions: SynchronisableSessions, query: SessionQuery, pass: SyncPass): RawBuilder<unknown> {
  const { clinicId, careProviderId, clientId } = sessions;
  const visible =
    careProviderId === undefined ? sql`` : sql`and ${visibleSessionsConditionSql(clinicId, careProviderId, 's')}`;
  const own = clientId === undefined ? sql`` : sql`and s.client_id = ${clientId}`;
  return sql`
    select s.session_id as id, s.removed_at as at, s.version from removed_session s
    where s.clinic_id = ${clinicId} ${visible} ${own} ${immutableFilterConditionsSql(query)}
      ${remainingChangesConditionSql(sql`s.removed_at`, sql`s.session_id`, pass)}`;
}

/**
 * Selects the Sessions of Clients who have been assigned to the Care Provider in the meantime. `offset 0` makes
 * PostgreSQL read the Sessions of each such Client by an index; otherwise it expects many Clients and reads all
 * Sessions.
 */
function assignedSessions(sessions: SynchronisableSessions, query: SessionQuery, pass: SyncPass): RawBuilder<unknown> {
  return sql`
    select s.id, a.assigned_at as at, s.version
    from client_assignment a cross join lateral (
      select s.id, s.version from session s
      where s.clinic_id = ${sessions.clinicId} and s.client_id = a.client_id ${immutableFilterConditionsSql(query)}
        ${remainingChangesConditionSql(sql`a.assigned_at`, sql`s.id`, pass)}
      offset 0) s
    where a.clinic_id = ${sessions.clinicId} and a.care_provider_id = ${sessions.careProviderId}`;
}

/**
 * Selects Sessions that may have become invisible to the Care Provider, because the Session or the Client was
 * reassigned. The Sessions themselves may have been removed in the meantime.
 */
function hiddenSessions(sessions: SynchronisableSessions, query: SessionQuery, pass: SyncPass): RawBuilder<unknown> {
  return sql`
    select h.session_id as id, h.hidden_at as at, s.version
    from hidden_session h join ${knownSessionsSql()} s on s.clinic_id = h.clinic_id and s.id = h.session_id
    where h.clinic_id = ${sessions.clinicId} and h.care_provider_id = ${sessions.careProviderId}
      ${immutableFilterConditionsSql(query)} ${remainingChangesConditionSql(sql`h.hidden_at`, sql`h.session_id`, pass)}`;
}

/**
 * Builds a condition from those filters whose columns never change. A Session that does not match them was never in the
 * list.
 */
function immutableFilterConditionsSql({ clientId, seriesId, designPlanId }: SessionQuery): RawBuilder<unknown> {
  return concatenateAndConditions([
    clientId && sql`and s.client_id = any(${clientId}::bigint[])`,
    seriesId && sql`and s.series_id = any(${seriesId}::uuid[])`,
    designPlanId && sql`and s.design_plan_id = any(${designPlanId}::bigint[])`,
  ]);
}
