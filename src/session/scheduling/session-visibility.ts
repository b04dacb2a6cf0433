import { sql, type RawBuilder } from 'kysely';

/**
 * Builds the condition that a Care Provider may see a Session: their own Sessions, and those of their assigned Clients.
 * The array is read once per statement, so that PostgreSQL can use an index for each part.
 *
 * @param table name of the table of Sessions in the statement
 */
export function visibleSessionsSql(clinicId: number, careProviderId: number, table = 'session'): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql`(${column('caregiver_id')} = ${careProviderId} or ${column('client_id')} = any (array(
    select client_id from client_assignment
    where clinic_id = ${clinicId} and care_provider_id = ${careProviderId})))`;
}
