import { sql, type RawBuilder } from 'kysely';
import { formatInstant } from '../../shared/persistence/index.js';

/** The changes that one page of a pass can contain. */
type SyncRange<Key> = { since?: Temporal.Instant; after?: { at: Temporal.Instant; id: Key } };

/**
 * Builds the condition for the changes of a pass that follow the page before. An index that begins with the time of the
 * change can start at the position.
 *
 * @param at time of the change
 * @param id what orders changes of the same time
 */
export function remainingChangesSql(
  at: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  { since, after }: SyncRange<number | string>,
): RawBuilder<unknown> {
  const range = sql`and ${at} >= ${formatInstant(since!)}::timestamptz`;
  if (after === undefined) return range;
  const type = typeof after.id === 'number' ? sql`bigint` : sql`uuid`;
  return sql`${range} and (${at}, ${id}) > (${formatInstant(after.at)}::timestamptz, ${after.id}::${type})`;
}
