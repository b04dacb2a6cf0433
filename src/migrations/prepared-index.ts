import { ONLINE_PREPARATIONS } from './online-preparations.js';

type PreparedIndex = { name: string; definition: string; isUnique?: boolean };

/**
 * Returns the statements that create the indexes of a migration, unless `npm run migrate` has built them before.
 *
 * @throws Error if no preparation names the migration, because it would silently create no index
 */
export function createPreparedIndexes(migration: string): string[] {
  const preparations = ONLINE_PREPARATIONS.filter(({ usedBy }) => usedBy === migration);
  if (preparations.length === 0) throw new Error(`ONLINE_PREPARATIONS has no entry that is used by ${migration}`);
  return preparations.flatMap(({ table, indexes }) => indexes.flatMap((index) => createPreparedIndex(table, index)));
}

/** Returns the statements that create one index. An interrupted preparation leaves an invalid one. */
export function createPreparedIndex(table: string, { name, definition, isUnique = false }: PreparedIndex): string[] {
  return [
    // The name of an index of a partition begins with that of the index of the table.
    `
    do $$ declare invalid regclass; begin
      for invalid in
        select indexrelid from pg_index join pg_class on pg_class.oid = indexrelid
        where not indisvalid and (indexrelid = to_regclass('${name}')
          or starts_with(relname, '${name}_') and indrelid in (select relid from pg_partition_tree('${table}')))
      loop
        execute format('drop index %s', invalid);
      end loop;
    end $$`,
    `create ${isUnique ? 'unique ' : ''}index if not exists ${name} on ${table} ${definition}`,
  ];
}
