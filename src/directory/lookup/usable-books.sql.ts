import { sql, type RawBuilder } from 'kysely';

/**
 * Builds an SQL array of the IDs of those Books that are active and belong to the Clinic or to the shared catalogue.
 * The enclosing statement must select from the table `clinic`.
 */
export function buildUsableBookIdsSql(bookIds: readonly number[]): RawBuilder<unknown> {
  return sql`array(
    select id from book
    where id = any(${[...new Set(bookIds)]}::bigint[]) and active and (clinic_id = clinic.id or clinic_id is null))::text[]`;
}
