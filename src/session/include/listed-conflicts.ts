import { sql, type RawBuilder } from 'kysely';
import type { ScheduleConflict } from '../../shared/errors/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import { MAX_DURATION_MINUTES, type Session } from '../domain/session.entity.js';

/** The maximum number of overlaps that lists show of one Session. */
export const MAX_CONFLICTS_OF_SESSION = 10;

/** The other Session: of which Session, its identifier, its participants, and start and end in milliseconds. */
export type ConflictRow = [number, number, number, number, number, number];

/**
 * Builds an SQL expression: a JSON array of `ConflictRow`, the earliest overlaps of Sessions of one Clinic with other
 * scheduled Sessions of the Care Provider or the Client. Reads a short range of an index for each Session, and at most
 * `MAX_CONFLICTS_OF_SESSION` rows.
 */
export function listedConflictsSql(clinicId: number, sessionIds: readonly number[]): RawBuilder<unknown> {
  const limit = sql.lit(MAX_CONFLICTS_OF_SESSION);
  const overlapsBy = (column: 'caregiver_id' | 'client_id') => sql`
    (select o.id, o.caregiver_id, o.client_id, o.starts_at, o.ends_at from session o
     where o.clinic_id = ${clinicId} and o.${sql.ref(column)} = s.${sql.ref(column)} and o.status = 'SCHEDULED'
       and o.starts_at < s.ends_at and o.starts_at > s.earliest and o.ends_at > s.starts_at and o.id <> s.id
     order by o.starts_at, o.id limit ${limit})`;
  // See ScheduleConflictFinder: under row-level security, the index is used only if `earliest` is a plain value.
  return sql`(
    with checked as materialized (
      select id, caregiver_id, client_id, starts_at, ends_at,
        starts_at - ${MAX_DURATION_MINUTES}::int * interval '1 minute' as earliest
      from session where clinic_id = ${clinicId} and id = any(${sessionIds}::bigint[]) and status = 'SCHEDULED')
    select json_agg(json_build_array(s.id, o.id, o.caregiver_id, o.client_id,
      (extract(epoch from o.starts_at) * 1000)::int8, (extract(epoch from o.ends_at) * 1000)::int8)
      order by o.starts_at, o.id)
    from checked s, lateral (${overlapsBy('caregiver_id')} union ${overlapsBy('client_id')}) o)`;
}

/** Converts the overlaps of one Session. */
export function toListedConflicts(session: Session, rows: readonly ConflictRow[]): ScheduleConflict[] {
  const { position, startsAt, endsAt, caregiverId, clientId } = session;
  const own = { position, startsAt: formatInstant(startsAt), endsAt: formatInstant(endsAt) };
  return rows
    .slice(0, MAX_CONFLICTS_OF_SESSION)
    .map(([, otherSessionId, otherCaregiverId, otherClientId, ...times]) => {
      const [otherStartsAt, otherEndsAt] = times.map(formatMilliseconds) as [string, string];
      const isBoth = otherCaregiverId === caregiverId && otherClientId === clientId;
      const participant = isBoth ? 'BOTH' : otherCaregiverId === caregiverId ? 'CARE_PROVIDER' : 'CLIENT';
      return { ...own, with: participant, otherSessionId, otherStartsAt, otherEndsAt };
    });
}

function formatMilliseconds(epochMilliseconds: number): string {
  return formatInstant(Temporal.Instant.fromEpochMilliseconds(epochMilliseconds));
}
