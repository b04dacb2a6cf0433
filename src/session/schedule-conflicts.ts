import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Directory } from '../directory/index.js';
import { ScheduleConflictError, type ScheduleConflict } from '../shared/errors/index.js';
import { formatInstant } from '../shared/persistence/index.js';
import { MAX_DURATION_MINUTES, type Session } from './session.entity.js';

/** What to do about overlaps: tell of them, or refuse (decisions, README: "Conflicts"). */
export type ConflictPolicy = 'report' | 'reject';

/** More than these are not listed: whoever has so many does not read them. */
const MOST_LISTED = 1_000;

type Row = {
  position: number;
  starts_at: number;
  ends_at: number;
  other_id: string;
  other_starts_at: number;
  other_ends_at: number;
  is_care_provider: boolean;
  is_client: boolean;
};

/** Two Sessions of one Care Provider or one Client that overlap. Sometimes wanted, so they are reported unless refused. */
@Injectable()
export class ScheduleConflicts {
  constructor(
    private readonly em: EntityManager,
    private readonly directory: Directory,
  ) {}

  /**
   * Before a change: where overlaps are refused, the time of those in the series is this transaction's alone
   * until it ends; where not, it is shared, so that whoever refuses sees this change or comes first.
   */
  async reserve(policy: ConflictPolicy, sessions: readonly Session[]): Promise<void> {
    const [first] = sessions;
    if (first === undefined) return;
    // Whoever has taken over from a colleague has the later Sessions of a series.
    const caregiverIds = [...new Set(sessions.map(({ caregiverId }) => caregiverId))];
    await this.directory.hold(first.clinicId, caregiverIds, first.clientId, policy === 'reject');
  }

  /**
   * After a change, within its transaction: all overlaps of these Sessions.
   *
   * @throws ScheduleConflictError when there are some and they are refused
   */
  async check(policy: ConflictPolicy, sessions: readonly Session[]): Promise<ScheduleConflict[]> {
    await this.em.flush();
    const conflicts = await this.conflictsOf(sessions);
    if (policy === 'reject' && conflicts.length > 0) throw new ScheduleConflictError(conflicts);
    return conflicts;
  }

  /** All overlaps of these Sessions with any that are scheduled, in the order of their start. */
  async conflictsOf(sessions: readonly Session[]): Promise<ScheduleConflict[]> {
    const [first] = sessions;
    if (first === undefined) return [];
    const ids = sessions.map((session) => session.id);
    // One branch for each index; no Session is longer than the bound, so each reads a short range of it.
    const overlapping = (column: 'caregiver_id' | 'client_id') => sql`
      select s.id, o.id as other_id, s.position, o.caregiver_id = s.caregiver_id as is_care_provider,
        o.client_id = s.client_id as is_client, ${milliseconds('s.starts_at')} as starts_at, ${milliseconds('s.ends_at')} as ends_at,
        ${milliseconds('o.starts_at')} as other_starts_at, ${milliseconds('o.ends_at')} as other_ends_at
      from session s join session o on o.clinic_id = s.clinic_id and o.${sql.ref(column)} = s.${sql.ref(column)}
        and o.starts_at < s.ends_at and o.starts_at > s.starts_at - ${MAX_DURATION_MINUTES}::int * interval '1 minute'
        and o.ends_at > s.starts_at and o.status = 'SCHEDULED' and o.id <> s.id
      where s.clinic_id = ${first.clinicId} and s.id = any(${ids}::bigint[]) and s.status = 'SCHEDULED'`;
    const { rows } = await sql<Row>`
      select * from (${overlapping('caregiver_id')} union ${overlapping('client_id')}) overlap
      order by starts_at, id, other_starts_at, other_id limit ${MOST_LISTED}`.execute(
      (this.em as SqlEntityManager).getKysely(),
    );
    return rows.map(conflictOf);
  }
}

function conflictOf(row: Row): ScheduleConflict {
  return {
    position: row.position,
    startsAt: isoInstant(row.starts_at),
    endsAt: isoInstant(row.ends_at),
    with: row.is_care_provider && row.is_client ? 'BOTH' : row.is_care_provider ? 'CARE_PROVIDER' : 'CLIENT',
    otherSessionId: Number(row.other_id),
    otherStartsAt: isoInstant(row.other_starts_at),
    otherEndsAt: isoInstant(row.other_ends_at),
  };
}

/** The two drivers agree on how a number arrives, but not on how an instant does. */
function milliseconds(column: string) {
  return sql`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;
}

function isoInstant(epochMilliseconds: number): string {
  return formatInstant(Temporal.Instant.fromEpochMilliseconds(epochMilliseconds));
}
