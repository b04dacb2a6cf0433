import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import {
  MAX_LISTED_CONFLICTS,
  ScheduleConflictError,
  type ConflictList,
  type ScheduleConflict,
} from '../../shared/errors/index.js';
import { formatInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import { MAX_DURATION_MINUTES, type Session } from '../domain/session.entity.js';
import type { ConflictPolicy } from '../domain/change-options.js';

type Row = {
  position: number;
  starts_at: number;
  ends_at: number;
  other_id: string;
  other_starts_at: number;
  other_ends_at: number;
  is_care_provider: boolean;
  is_client: boolean;
  /** Total number of overlaps, including those beyond the limit of the list. */
  overlaps: number;
};

/**
 * Finds overlaps: scheduled Sessions of the same Care Provider or Client at the same time. Overlaps are allowed unless
 * the request asks to reject them.
 */
@Injectable()
export class ScheduleConflictFinder {
  constructor(private readonly em: TenantEntityManager) {}

  /**
   * Finds the overlaps of changed Sessions, within the transaction that changes them.
   *
   * @throws ScheduleConflictError when there are overlaps and the policy is `reject`
   */
  async enforce(policy: ConflictPolicy, sessions: readonly Session[]): Promise<ConflictList> {
    const overlaps = await this.findOverlaps(sessions);
    if (policy === 'reject' && overlaps.conflictCount > 0) throw new ScheduleConflictError(overlaps);
    return overlaps;
  }

  /**
   * Returns the earliest overlaps with other scheduled Sessions, at most `MAX_LISTED_CONFLICTS`, and the total number.
   */
  async findOverlaps(sessions: readonly Session[]): Promise<ConflictList> {
    const [first] = sessions;
    if (first === undefined) return { conflicts: [], conflictCount: 0 };
    const ids = sessions.map((session) => session.id);
    // No overlapping Session can start before `earliest`, because no Session is longer than the maximum duration.
    // `earliest` is a column of the materialized CTE because, under row-level security, PostgreSQL uses the index only
    // for plain values and not for an expression such as "starts_at - …".
    const checked = sql`
      select id, position, caregiver_id, client_id, starts_at, ends_at,
        starts_at - ${MAX_DURATION_MINUTES}::int * interval '1 minute' as earliest
      from session where clinic_id = ${first.clinicId} and id = any(${ids}::bigint[]) and status = 'SCHEDULED'`;
    // One query per index; each reads a short range.
    const overlapsBy = (column: 'caregiver_id' | 'client_id') => sql`
      select s.id, o.id as other_id, s.position, o.caregiver_id = s.caregiver_id as is_care_provider,
        o.client_id = s.client_id as is_client, ${epochMillisecondsOf('s.starts_at')} as starts_at, ${epochMillisecondsOf('s.ends_at')} as ends_at,
        ${epochMillisecondsOf('o.starts_at')} as other_starts_at, ${epochMillisecondsOf('o.ends_at')} as other_ends_at
      from checked s join session o on o.clinic_id = ${first.clinicId} and o.${sql.ref(column)} = s.${sql.ref(column)}
        and o.starts_at < s.ends_at and o.starts_at > s.earliest and o.ends_at > s.starts_at
        and o.status = 'SCHEDULED' and o.id <> s.id`;
    const { rows } = await sql<Row>`
      with checked as materialized (${checked})
      select overlap.*, (count(*) over ())::int as overlaps from (${overlapsBy('caregiver_id')} union ${overlapsBy('client_id')}) overlap
      order by starts_at, id, other_starts_at, other_id limit ${MAX_LISTED_CONFLICTS}`.execute(this.em.getKysely());
    return { conflicts: rows.map(toScheduleConflict), conflictCount: rows[0]?.overlaps ?? 0 };
  }
}

function toScheduleConflict(row: Row): ScheduleConflict {
  return {
    position: row.position,
    startsAt: formatEpochMilliseconds(row.starts_at),
    endsAt: formatEpochMilliseconds(row.ends_at),
    with: row.is_care_provider && row.is_client ? 'BOTH' : row.is_care_provider ? 'CARE_PROVIDER' : 'CLIENT',
    otherSessionId: Number(row.other_id),
    otherStartsAt: formatEpochMilliseconds(row.other_starts_at),
    otherEndsAt: formatEpochMilliseconds(row.other_ends_at),
  };
}

/**
 * Selects an instant as a number, because the two database drivers return numbers, but not instants, in the same form.
 */
function epochMillisecondsOf(column: string) {
  return sql`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;
}

function formatEpochMilliseconds(epochMilliseconds: number): string {
  return formatInstant(Temporal.Instant.fromEpochMilliseconds(epochMilliseconds));
}
