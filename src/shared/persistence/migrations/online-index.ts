import type { Orm } from '../driver/orm.js';

type UniqueIndex = { usedBy: string; table: string; name: string; columns: string };

/**
 * Builds unique indexes without blocking writes, for migrations that have not run yet. The progress is visible in
 * `pg_stat_progress_create_index`. An interrupted index is dropped and built again.
 *
 * @returns the names of the indexes that were built
 */
export async function buildOnlineIndexes(orm: Orm, indexes: readonly UniqueIndex[]): Promise<string[]> {
  const connection = orm.em.fork().getConnection();
  const built: string[] = [];
  for (const { usedBy, table, name, columns } of indexes) {
    const statement = `
      select exists (select from pg_index where indexrelid = to_regclass('${name}') and indisvalid) as "isBuilt"
      from pg_class where oid = to_regclass('${table}') and relkind = 'r'`;
    const rows = (await connection.execute(statement)) as { isBuilt: boolean }[];
    // On a new database, the table does not exist yet.
    if (rows.length === 0 || rows[0]!.isBuilt || (await isExecuted(orm, usedBy))) continue;
    await connection.execute(`drop index concurrently if exists ${name}`);
    await connection.execute(`create unique index concurrently ${name} on ${table} (${columns})`);
    built.push(name);
  }
  return built;
}

async function isExecuted(orm: Orm, migration: string): Promise<boolean> {
  const { tableName } = orm.em.config.get('migrations');
  const statement = `select 1 from ${tableName} where name = ?`;
  const rows = (await orm.em.fork().getConnection().execute(statement, [migration])) as object[];
  return rows.length > 0;
}
