import { sql, type RawBuilder } from 'kysely';

/**
 * Builds the condition that a Care Provider may see a Session: it is their own, or its Client is assigned to them. The
 * IDs of assigned Clients are read as an array once per statement, so that PostgreSQL can use an index for each part of
 * the condition.
 *
 * @param table name of the Session table in the statement
 */
export function visibleSessionsConditionSql(
  clinicId: number,
  careProviderId: number,
  table = 'session',
): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql`(${column('caregiver_id')} = ${careProviderId} or ${column('client_id')} = any (array(
    select client_id from client_assignment
    where clinic_id = ${clinicId} and care_provider_id = ${careProviderId})))`;
}
