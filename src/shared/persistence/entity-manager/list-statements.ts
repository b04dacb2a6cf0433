import { sql, type RawBuilder } from 'kysely';
import type { TenantEntityManager } from '../tenancy/tenant-entity-manager.js';

/**
 * Counts the rows of a list that is written in SQL, and stops at the maximum, which bounds the work.
 *
 * @param listed the statement from its `from` clause on
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

/** Joins the conditions of optional filters. Each begins with `and`; absent filters have no condition. */
export function joinConditions(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<unknown> {
  return sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` `,
  );
}
