import { sql, type RawBuilder } from 'kysely';
import { formatInstant } from '../../shared/persistence/index.js';

/** The range of the changes of one page: since the time of the sync token, and after the end of the previous page. */
type SyncRange<Key> = { since?: Temporal.Instant; after?: { at: Temporal.Instant; id: Key } };

/**
 * Builds the condition for the changes after the previous page of a synchronisation. With an index on the time of the
 * change, PostgreSQL starts its scan where that page ended.
 *
 * @param at the column with the time of the change
 * @param id the column that orders changes with the same time
 */
export function remainingChangesConditionSql(
  at: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  { since, after }: SyncRange<number | string>,
): RawBuilder<unknown> {
  const range = sql`and ${at} >= ${formatInstant(since!)}::timestamptz`;
  if (after === undefined) return range;
  const type = typeof after.id === 'number' ? sql`bigint` : sql`uuid`;
  return sql`${range} and (${at}, ${id}) > (${formatInstant(after.at)}::timestamptz, ${after.id}::${type})`;
}
