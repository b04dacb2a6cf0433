import { sql, type RawBuilder } from 'kysely';

/**
 * The Sessions with the tombstones of those that retention has removed, as a table. It has the columns that
 * synchronised lists need. PostgreSQL looks each ID up in the index of both tables.
 */
export function knownSessionsSql(): RawBuilder<unknown> {
  return sql`(
    select clinic_id, id, series_id, client_id, design_plan_id, version from session
    union all
    select clinic_id, session_id, series_id, client_id, design_plan_id, version from removed_session)`;
}
