import { sql, type RawBuilder } from 'kysely';
import type { ScheduleConflict } from '../../directory/index.js';
import { formatEpochMilliseconds, formatInstant } from '../../shared/persistence/index.js';
import type { Session } from '../domain/session.entity.js';
import { checkedSessionsSql, overlapConditionSql } from '../scheduling/overlap.sql.js';

/** The maximum number of overlaps per Session in lists. */
const MAX_CONFLICTS_PER_SESSION = 10;

/**
 * The ID of a Session, followed by the ID, Care Provider, Client, start and end of a Session that overlaps it. Times
 * are in milliseconds since 1970.
 */
export type ConflictRow = [number, number, number, number, number, number];

/**
 * Builds an SQL expression for a JSON array of `ConflictRow`: the earliest overlaps of Sessions of one Clinic with
 * other scheduled Sessions of the same Care Provider or Client. For each Session, it reads a short range of an index
 * and at most `MAX_CONFLICTS_PER_SESSION` rows.
 */
export function listedConflictsSql(clinicId: number, sessions: readonly Readonly<Session>[]): RawBuilder<unknown> {
  const limit = sql.lit(MAX_CONFLICTS_PER_SESSION);
  const overlapsBy = (participant: 'caregiver_id' | 'client_id') => sql`
    (select o.id, o.caregiver_id, o.client_id, o.starts_at, o.ends_at from session o
     where ${overlapConditionSql(clinicId, participant)}
     order by o.starts_at, o.id limit ${limit})`;
  return sql`(
    with checked as materialized (${checkedSessionsSql(sessions)})
    select json_agg(json_build_array(s.id, o.id, o.caregiver_id, o.client_id,
      (extract(epoch from o.starts_at) * 1000)::int8, (extract(epoch from o.ends_at) * 1000)::int8)
      order by o.starts_at, o.id)
    from checked s, lateral (${overlapsBy('caregiver_id')} union ${overlapsBy('client_id')}) o)`;
}

/** Converts the rows of one Session to the overlaps in its response. */
export function toListedConflicts(session: Readonly<Session>, rows: readonly ConflictRow[]): ScheduleConflict[] {
  const { position, startsAt, endsAt, caregiverId, clientId } = session;
  const own = { position, startsAt: formatInstant(startsAt), endsAt: formatInstant(endsAt) };
  return rows
    .slice(0, MAX_CONFLICTS_PER_SESSION)
    .map(([, otherSessionId, otherCaregiverId, otherClientId, ...times]) => {
      const [otherStartsAt, otherEndsAt] = times.map(formatEpochMilliseconds) as [string, string];
      const isBoth = otherCaregiverId === caregiverId && otherClientId === clientId;
      const participant = isBoth ? 'BOTH' : otherCaregiverId === caregiverId ? 'CARE_PROVIDER' : 'CLIENT';
      return { ...own, with: participant, otherSessionId, otherStartsAt, otherEndsAt };
    });
}
