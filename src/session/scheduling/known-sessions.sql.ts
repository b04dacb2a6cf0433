import { sql, type RawBuilder } from 'kysely';

/**
 * Builds a table expression with the stored Sessions and the tombstones of removed ones. It has the columns that
 * synchronised lists need, and PostgreSQL can look up an ID in the indexes of both tables.
 */
export function knownSessionsSql(): RawBuilder<unknown> {
  return sql`(
    select clinic_id, id, series_id, client_id, design_plan_id, version from session
    union all
    select clinic_id, session_id, series_id, client_id, design_plan_id, version from removed_session)`;
}
