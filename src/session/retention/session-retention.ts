import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { endedErasureNoticesConditionSql } from '../../reminder/index.js';
import { formatInstant, type TenantEntityManager } from '../../shared/persistence/index.js';
import { endedSeriesConditionSql, seriesHasRowsConditionSql, type EndedSeriesFilter } from './ended-series.sql.js';

type Sql = Pick<TenantEntityManager, 'getKysely'>;

/** The kinds of Session data, each of which has its own retention period. */
export const SESSION_DATA_KINDS = ['sessions', 'homework', 'reminders'] as const;
export type SessionDataKind = (typeof SESSION_DATA_KINDS)[number];

/** Numbers of removed rows of each kind. */
type RemovedRowCounts = Record<SessionDataKind, number>;

/** The result of one transaction. If `isLast` is false, there may be more rows to remove. */
type RemovedBatch = { rows: RemovedRowCounts; records: string[]; isLast: boolean };

/** Maximum number of series that one transaction removes. A series can have several hundred Sessions. */
const BATCH_SIZE = 20;
/** Maximum number of notices of erasures that one transaction removes. */
const NOTICE_BATCH_SIZE = 1_000;
const TABLES = { sessions: 'session', homework: 'homework', reminders: 'reminder' } as const;
const NOTHING: RemovedRowCounts = { sessions: 0, homework: 0, reminders: 0 };

/**
 * Counts and removes Sessions, homework and reminders whose retention has ended. The methods run in the transaction of
 * the given EntityManager.
 */
@Injectable()
export class SessionRetention {
  /** Counts the rows that repeated calls of `removeBatch` would remove, up to a maximum. */
  async count(em: Sql, kind: SessionDataKind, ended: EndedSeriesFilter, maximum: number): Promise<number> {
    const { clinicId, before } = ended;
    const heldClientIds = await findHeldClientIds(em, clinicId);
    const table = sql.table(TABLES[kind]);
    const series = kind === 'sessions' ? sql`part.series_id = series.id` : sql`s.series_id = series.id`;
    const session =
      kind === 'sessions'
        ? sql``
        : sql`
      join session s on s.clinic_id = part.clinic_id and s.id = part.session_id`;
    // In one join without statistics, PostgreSQL would use nested loops over all these tables, which take minutes.
    const { rows } = await sql<{ count: number }>`
      with series as materialized (
        select series.id from session_series series where ${endedSeriesConditionSql(ended, heldClientIds)})
      select count(*)::int as count from (
        select from series cross join lateral (
          select from ${table} part ${session} where part.clinic_id = ${clinicId} and ${series} offset 0) as found
        ${kind === 'reminders' ? sql`union all select from reminder where ${endedErasureNoticesConditionSql(clinicId, before)}` : sql``}
        limit ${maximum}) as counted`.execute(em.getKysely());
    return rows[0]!.count;
  }

  /**
   * Removes one kind of data from the next series that ended before the instant. With the Sessions, their homework and
   * reminders are removed as well.
   */
  async removeBatch(
    em: Sql,
    kind: SessionDataKind,
    ended: EndedSeriesFilter,
    now: Temporal.Instant,
  ): Promise<RemovedBatch> {
    const { seriesIds, isLast } = await lockEndedSeries(em, kind, ended);
    if (seriesIds.length === 0) {
      return kind === 'reminders' ? removeNotices(em, ended, isLast) : { rows: NOTHING, records: [], isLast };
    }
    const sessions = await findSessions(em, ended.clinicId, seriesIds);
    const ids = sessions.map(({ id }) => id);
    // The deletion of homework changes reminders as well.
    await lockReminders(em, sql`clinic_id = ${ended.clinicId} and session_id = any(${ids}::bigint[])`);
    const remove = async (table: 'homework' | 'reminder') =>
      execute(
        em,
        sql`delete from ${sql.table(table)} where clinic_id = ${ended.clinicId}
        and session_id = any(${ids}::bigint[])`,
      );
    const rows = { ...NOTHING };
    if (kind !== 'homework') rows.reminders = await remove('reminder');
    if (kind !== 'reminders') rows.homework = await remove('homework');
    if (kind === 'homework') await recordChange(em, ended.clinicId, ids, now);
    if (kind === 'sessions') rows.sessions = await removeSessions(em, ended.clinicId, seriesIds, now);
    const records = [...seriesIds.map((id) => `series/${id}`), ...ids.map((id) => `session/${id}`)];
    // Notices of erasures belong to no series. They are removed by the call after the last series.
    return { rows, records, isLast: isLast && kind !== 'reminders' };
  }
}

async function removeNotices(em: Sql, { clinicId, before }: EndedSeriesFilter, isLast: boolean): Promise<RemovedBatch> {
  const locked = await lockReminders(em, endedErasureNoticesConditionSql(clinicId, before), NOTICE_BATCH_SIZE);
  const ids = await findIds(
    em,
    sql`delete from reminder where clinic_id = ${clinicId} and id = any(${locked}::bigint[]) returning id::text`,
  );
  return {
    rows: { ...NOTHING, reminders: ids.length },
    records: ids.map((id) => `reminder/${id}`),
    isLast: isLast && ids.length < NOTICE_BATCH_SIZE,
  };
}

/** Locks reminders in ID order, as all other transactions do, to avoid deadlocks. Returns their IDs. */
function lockReminders(em: Sql, condition: RawBuilder<unknown>, maximum?: number): Promise<string[]> {
  const limit = maximum === undefined ? sql`` : sql`limit ${maximum}`;
  return findIds(em, sql`select id::text from reminder where ${condition} order by reminder.id ${limit} for update`);
}

/**
 * Locks the series, and then checks again that they have ended, because a Session may have changed before the lock was
 * acquired. Series that another transaction has locked are skipped and left for a later run.
 */
async function lockEndedSeries(
  em: Sql,
  kind: SessionDataKind,
  ended: EndedSeriesFilter,
): Promise<{ seriesIds: string[]; isLast: boolean }> {
  const hasData = kind === 'sessions' ? sql`true` : seriesHasRowsConditionSql(ended.clinicId, TABLES[kind]);
  const heldClientIds = await findHeldClientIds(em, ended.clinicId);
  const select = sql`
    select series.id from session_series series where ${endedSeriesConditionSql(ended, heldClientIds)} and ${hasData}`;
  const locked = await findIds(
    em,
    sql`${select} order by series.created_at, series.id limit ${BATCH_SIZE} for update of series skip locked`,
  );
  const seriesIds = locked.length === 0 ? [] : await findIds(em, sql`${select} and series.id = any(${locked}::uuid[])`);
  return { seriesIds, isLast: locked.length < BATCH_SIZE };
}

/** A statement of its own, because a distributed database stores legal holds on another server than Sessions. */
async function findHeldClientIds(em: Sql, clinicId: number): Promise<number[]> {
  const held = sql`select client_id::text as id from legal_hold where clinic_id = ${clinicId} and lifted_at is null`;
  return (await findIds(em, held)).map(Number);
}

async function findIds(em: Sql, statement: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await statement.execute(em.getKysely());
  return (rows as { id: string }[]).map(({ id }) => id);
}

async function findSessions(em: Sql, clinicId: number, seriesIds: readonly string[]): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select id::text from session where clinic_id = ${clinicId} and series_id = any(${seriesIds}::uuid[]) order by id`.execute(
    em.getKysely(),
  );
  return rows;
}

/**
 * Sets `updatedAt` of the Sessions. Homework is part of its Session, so clients that synchronise must read the Session
 * again.
 */
function recordChange(em: Sql, clinicId: number, ids: readonly string[], now: Temporal.Instant): Promise<number> {
  return execute(
    em,
    sql`
    update session set updated_at = ${formatInstant(now)}
    where clinic_id = ${clinicId} and id = any(${ids}::bigint[])`,
  );
}

/**
 * Removes Sessions and their series, and stores tombstones for the synchronisation of Sessions, series and homework.
 * `TombstoneCleaner` deletes the tombstones.
 */
async function removeSessions(em: Sql, clinicId: number, seriesIds: readonly string[], now: Temporal.Instant) {
  const ofSeries = sql`clinic_id = ${clinicId} and series_id = any(${seriesIds}::uuid[])`;
  await execute(
    em,
    sql`
    insert into removed_session (clinic_id, session_id, series_id, caregiver_id, client_id, design_plan_id, version,
      series_version, removed_at)
    select clinic_id, id, series_id, caregiver_id, client_id, design_plan_id, version + 1,
      (select version from session_series where clinic_id = ${clinicId} and id = series_id), ${formatInstant(now)}
    from session where ${ofSeries}`,
  );
  const removed = await execute(em, sql`delete from session where ${ofSeries}`);
  await execute(em, sql`delete from session_series where clinic_id = ${clinicId} and id = any(${seriesIds}::uuid[])`);
  return removed;
}

async function execute(em: Sql, statement: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await statement.execute(em.getKysely());
  return Number(numAffectedRows ?? 0);
}
