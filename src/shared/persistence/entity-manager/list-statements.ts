import { sql, type RawBuilder } from 'kysely';
import type { TenantEntityManager } from '../tenancy/tenant-entity-manager.js';

/**
 * Counts the rows of an SQL list up to a maximum, which limits the work.
 *
 * @param listed the statement of the list, without its `select` clause
 */
export async function countRows(
  em: TenantEntityManager,
  listed: RawBuilder<unknown>,
  maximum: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select ${listed} limit ${maximum}) as counted`.execute(em.getKysely());
  return rows[0]!.count;
}

/** Concatenates the SQL conditions of optional filters, each of which begins with `and`. Undefined ones are omitted. */
export function concatenateAndConditions(
  conditions: readonly (RawBuilder<unknown> | undefined)[],
): RawBuilder<unknown> {
  return sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` `,
  );
}
