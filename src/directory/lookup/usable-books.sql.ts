import { sql, type RawBuilder } from 'kysely';

/**
 * An SQL array of the ids of active Books that belong to the Clinic or to the shared catalogue. The statement around it
 * must have a table named `clinic`.
 */
export function usableBookIdsSql(bookIds: readonly number[]): RawBuilder<unknown> {
  return sql`array(
    select id from book
    where id = any(${[...new Set(bookIds)]}::bigint[]) and active and (clinic_id = clinic.id or clinic_id is null))::text[]`;
}
