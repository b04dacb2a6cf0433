import { sql, type RawBuilder } from 'kysely';
import type { TestApp } from '../app/test-app.js';

export type DatabaseColumn = { schema: string; table: string; column: string; type: string };
type Export = { status: number; text: string };

/** Values to try in JSON columns. For each column, at least one of them is valid and differs from the stored value. */
const JSON_VALUES = [
  ...['[]', '["HOMEWORK"]', '{"from":"01:00","to":"02:00"}', '{"kind":"REMIND_DAYS","days":99}', '["-P9D"]'],
  '[{"at":"2026-01-01T00:00:00.000Z","what":"QUEUED"}]',
];

/** Determines whether the export of a Client contains a column: whether changing the column changes the export. */
export class ColumnProbe {
  private baseline: string | undefined;

  /** @param readExport reads the export, without parts that differ each time */
  constructor(
    private readonly app: TestApp,
    private readonly readExport: () => Promise<Export>,
  ) {}

  /** Lists the columns of all tables. Partitions are skipped, because they have the same columns as their table. */
  listColumns(): Promise<DatabaseColumn[]> {
    return this.app.queryRows(sql<DatabaseColumn>`
      select n.nspname as schema, c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
        and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'
      order by 1, 2, a.attnum`);
  }

  async isInExport(column: DatabaseColumn): Promise<boolean> {
    this.baseline ??= (await this.readExport()).text;
    for (const value of await this.listValues(column)) if (await this.changesExport(column, value)) return true;
    return false;
  }

  private async changesExport({ table, column }: DatabaseColumn, value: RawBuilder<unknown>): Promise<boolean> {
    await this.run(sql`create table probe_copy as table ${sql.table(table)}`);
    try {
      await this.run(sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value}`);
      const { status, text } = await this.readExport();
      // The changed column has an effect if the export differs, or if the row no longer belongs to the Client or Clinic
      // (403 or 404). Other errors are inconclusive.
      return status === 200 ? text !== this.baseline : [403, 404].includes(status);
    } catch (error) {
      // A constraint does not allow this value, or only the database may assign it.
      if (/^23|^428C9$/.test(String((error as { code?: unknown }).code))) return false;
      throw error;
    } finally {
      await this.run(sql`delete from ${sql.table(table)}`);
      await this.run(sql`insert into ${sql.table(table)} overriding system value table probe_copy`);
      await this.run(sql`drop table probe_copy`);
    }
  }

  /** Runs a statement without foreign keys and triggers, so that a column can have any value. */
  private async run(statement: RawBuilder<unknown>): Promise<void> {
    await this.app.asSuperuser(async (em) => {
      const kysely = (em as unknown as { getKysely(): never }).getKysely();
      await sql`set local session_replication_role = replica`.execute(kysely);
      await statement.execute(kysely);
    });
  }

  /**
   * Returns values of the type that differ from the stored ones, including those that a check constraint lists. Texts
   * differ in each row, as unique columns require.
   */
  private async listValues({ table, column, type }: DatabaseColumn): Promise<RawBuilder<unknown>[]> {
    const name = sql.ref(column);
    switch (type) {
      case 'text':
        return [
          sql`coalesce(${name}, '') || 'x' || ctid::text`,
          ...(await this.listConstants(table)).map((one) => sql`${one}::text`),
        ];
      case 'boolean':
        return [sql`not ${name}`];
      case 'jsonb':
        return JSON_VALUES.map((one) => sql`${one}::text::jsonb`);
      case 'uuid':
        return [sql`gen_random_uuid()`];
      case 'text[]':
        return [sql`'{}'::text[]`];
      case 'integer':
      case 'bigint':
        return [sql`coalesce(${name}, 0) + 1000000`, sql`default`];
      case 'timestamp with time zone':
        return [sql`coalesce(${name}, now()) + interval '1 hour'`];
      default:
        throw new Error(`${table}.${column} has the type ${type}, of which the test knows no other value`);
    }
  }

  private async listConstants(table: string): Promise<string[]> {
    const rows = await this.app.queryRows(sql<{ definition: string }>`
      select pg_get_constraintdef(oid) as definition from pg_constraint
      where contype = 'c' and conrelid = ${table}::regclass`);
    return [
      ...new Set(rows.flatMap(({ definition }) => [...definition.matchAll(/'(\w+)'/g)].map(([, text]) => text!))),
    ];
  }
}
