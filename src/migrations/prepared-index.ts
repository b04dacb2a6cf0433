import { ONLINE_PREPARATIONS } from './online-preparations.js';

type PreparedIndex = { name: string; definition: string; isUnique?: boolean };

/** Returns the statements that create the indexes of a migration, unless `npm run migrate` has built them before. */
export function createPreparedIndexes(migration: string): string[] {
  const preparations = ONLINE_PREPARATIONS.filter(({ usedBy }) => usedBy === migration);
  return preparations.flatMap(({ table, indexes }) =>
    indexes.flatMap(({ name, definition, isUnique = false }: PreparedIndex) => [
      // An interrupted preparation leaves an invalid index.
      `
      do $$ begin
        if exists (select from pg_index where indexrelid = to_regclass('${name}') and not indisvalid) then
          drop index ${name};
        end if;
      end $$`,
      `create ${isUnique ? 'unique ' : ''}index if not exists ${name} on ${table} ${definition}`,
    ]),
  );
}
