import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import type { ScheduleConflict } from '../../directory/index.js';
import { formatEpochMilliseconds, formatInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import type { Session } from '../domain/session.entity.js';
import type { ConflictPolicy } from '../domain/change-options.js';
import { checkedSessionsSql, overlapConditionSql } from './overlap.sql.js';
import {
  MAX_COUNTED_CONFLICTS,
  MAX_LISTED_CONFLICTS,
  ScheduleConflictError,
  type ConflictList,
} from './schedule-conflict.js';

type Row = {
  id: string;
  other_id: string;
  other_starts_at: number;
  other_ends_at: number;
  is_care_provider: boolean;
  is_client: boolean;
  /** Number of overlaps, including those beyond the limit of the list. */
  overlaps: number;
};

/**
 * Finds overlaps: scheduled Sessions of the same Care Provider or Client at the same time. Overlaps are allowed unless
 * the request has `conflicts=reject`.
 */
@Injectable()
export class ScheduleConflictFinder {
  constructor(private readonly em: TenantEntityManager) {}

  /**
   * Finds the overlaps of changed Sessions, within the transaction that changes them.
   *
   * @throws ScheduleConflictError when there are overlaps and the policy is `reject`
   */
  async enforcePolicy(policy: ConflictPolicy, sessions: readonly Session[]): Promise<ConflictList> {
    const overlaps = await this.findOverlaps(sessions);
    if (policy === 'reject' && overlaps.conflictCount > 0) throw new ScheduleConflictError(overlaps);
    return overlaps;
  }

  /**
   * Returns the earliest overlaps with other scheduled Sessions, at most `MAX_LISTED_CONFLICTS`, and their number, up to
   * `MAX_COUNTED_CONFLICTS`.
   */
  async findOverlaps(sessions: readonly Session[]): Promise<ConflictList> {
    const [first] = sessions;
    if (first === undefined) return { conflicts: [], conflictCount: 0 };
    // `offset 0` makes PostgreSQL search the index once for each Session, whatever it expects to find there.
    const overlapsBy = (condition: RawBuilder<unknown>) => sql`
      select s.id, s.starts_at, o.* from checked s, lateral (
        select o.id as other_id, o.starts_at as other_starts_at, o.ends_at as other_ends_at,
          o.caregiver_id = s.caregiver_id as is_care_provider, o.client_id = s.client_id as is_client
        from session o where ${condition} offset 0) o`;
    const ofClient = sql`${overlapConditionSql(first.clinicId, 'client_id')} and o.caregiver_id <> s.caregiver_id`;
    const { rows } = await sql<Row>`
      with checked as materialized (${checkedSessionsSql(sessions)} order by starts_at), overlap as (
        ${overlapsBy(overlapConditionSql(first.clinicId, 'caregiver_id'))} union all ${overlapsBy(ofClient)}
        limit ${sql.lit(MAX_COUNTED_CONFLICTS)})
      select id, other_id, ${epochMillisecondsOf('other_starts_at')} as other_starts_at,
        ${epochMillisecondsOf('other_ends_at')} as other_ends_at, is_care_provider, is_client,
        (count(*) over ())::int as overlaps
      from overlap order by starts_at, id, overlap.other_starts_at, other_id
      limit ${MAX_LISTED_CONFLICTS}`.execute(this.em.getKysely());
    const byId = new Map(sessions.map((session) => [session.id, session]));
    const conflicts = rows.map((row) => toScheduleConflict(byId.get(Number(row.id))!, row));
    return { conflicts, conflictCount: rows[0]?.overlaps ?? 0 };
  }
}

function toScheduleConflict(session: Session, row: Row): ScheduleConflict {
  return {
    position: session.position,
    startsAt: formatInstant(session.startsAt),
    endsAt: formatInstant(session.endsAt),
    with: row.is_care_provider && row.is_client ? 'BOTH' : row.is_care_provider ? 'CARE_PROVIDER' : 'CLIENT',
    otherSessionId: Number(row.other_id),
    otherStartsAt: formatEpochMilliseconds(row.other_starts_at),
    otherEndsAt: formatEpochMilliseconds(row.other_ends_at),
  };
}

/**
 * Selects an instant as a number of milliseconds, because both database drivers return numbers in the same form, but
 * not instants.
 */
function epochMillisecondsOf(column: string) {
  return sql`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;
}
