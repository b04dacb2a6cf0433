import type pg from 'pg';

/** An index that no key uses, and the statement that creates it. */
export type SecondaryIndex = { name: string; definition: string };

/**
 * Drops the indexes of tables, and returns them. Indexes of primary keys, unique constraints, foreign keys and the replica
 * identity stay.
 */
export async function dropSecondaryIndexes(owner: pg.Client, tables: readonly string[]): Promise<SecondaryIndex[]> {
  const { rows } = await owner.query<SecondaryIndex>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid = any($1::regclass[]) and not indisreplident
        and not exists (select from pg_constraint where conindid = indexrelid)
      order by pg_relation_size(indrelid) desc, 1`,
    [tables],
  );
  if (rows.length > 0) await owner.query(`drop index ${rows.map(({ name }) => name).join(', ')}`);
  return rows;
}

/** Creates the indexes, one on each connection at a time. */
export async function createIndexes(
  connections: readonly pg.Client[],
  indexes: readonly SecondaryIndex[],
  tell: (done: number) => void,
): Promise<void> {
  const waiting = [...indexes];
  let done = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        tell(done);
        await connection.query(next.definition);
        done += 1;
      }
    }),
  );
}
