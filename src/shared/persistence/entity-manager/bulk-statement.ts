import type { EntityClass, EntityManager, EntityMetadata, Platform } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';
import { toCompiledQuery, type Statement } from '../driver/raw-statement.js';

/*
 * Rows of one table as the values of a statement, whose text is the same however many they are: a column is an array, or
 * one value where all rows have the same. So PostgreSQL parses the statement once, and reads once what is said once.
 */

/** Rows of one statement: enough to be fast, few enough that no request makes a statement of many megabytes. */
export const MAX_ROWS_PER_STATEMENT = 1_000;
/** Texts of one table that are kept: more than what is done with rows asks for. */
const MAX_CACHED_TEXTS = 200;

type FieldValues = Readonly<Record<string, unknown>>;
type BulkColumn = { name: string; field: string; type: string; write: (value: unknown) => unknown };

/** A table, with the columns that are given of its rows, and the texts that were needed so far. */
type BulkTable = { name: string; columns: BulkColumn[]; texts: Map<string, string> };

/** What stands for each column in a statement, and what it is taken from where that is an array. */
type RowSource = { values: string[]; rows: string | undefined };

/** Where the tables of one kind of statement are kept: with the columns that it gives. */
export function createTableLookup(isGiven: (prop: EntityMetadata['props'][number]) => boolean) {
  const tables = new WeakMap<EntityMetadata, BulkTable>();
  return (given: AnyEntityManager, entity: EntityClass<object>): BulkTable => {
    const em = given as EntityManager as SqlEntityManager;
    const meta = em.getMetadata().get(entity) as EntityMetadata;
    const known = tables.get(meta);
    if (known !== undefined) return known;
    const props = meta.props.filter((prop) => prop.persist !== false && isGiven(prop));
    const columns = props.map((prop) => toBulkColumn(prop, em.getPlatform()));
    const table = { name: `"${meta.tableName}"`, columns, texts: new Map<string, string>() };
    tables.set(meta, table);
    return table;
  };
}

/**
 * The statement that gives these rows.
 *
 * @param write what it says, once what stands for each column is known
 * @param others values that have the first numbers
 */
export function toBulkStatement(
  table: BulkTable,
  rows: readonly object[],
  write: (given: RowSource) => string,
  others: readonly unknown[] = [],
): Statement {
  const varying = findVaryingColumns(table.columns, rows as readonly FieldValues[]);
  const values = table.columns.map((column, index) => {
    const valueOf = (row: object) => column.write((row as FieldValues)[column.name]);
    return varying[index] ? toArrayLiteral(rows.map(valueOf)) : valueOf(rows[0]!);
  });
  const key = `${varying.join()} ${others.length}`;
  const text = table.texts.get(key) ?? cacheText(table, key, write(toRowSource(table.columns, varying, others.length)));
  return { text, values: [...others, ...values] };
}

function cacheText({ texts }: BulkTable, key: string, text: string): string {
  if (texts.size >= MAX_CACHED_TEXTS) texts.clear();
  texts.set(key, text);
  return text;
}

export async function executeStatement<Answer>(
  given: AnyEntityManager,
  text: string,
  values: unknown[],
): Promise<Answer[]> {
  const em = given as EntityManager as SqlEntityManager;
  return (await em.getKysely().executeQuery(toCompiledQuery<Answer>(text, values))).rows;
}

function toBulkColumn(prop: EntityMetadata['props'][number], platform: Platform): BulkColumn {
  const { name, fieldNames, columnTypes, customType, autoincrement } = prop;
  const write = (value: unknown): unknown =>
    customType === undefined ? value : customType.convertToDatabaseValue(value, platform);
  // `bigserial` is how the column is made, and no type.
  return { name, field: `"${fieldNames[0]!}"`, type: autoincrement ? 'bigint' : columnTypes[0]!, write };
}

/** Most columns of rows that are written together have one value in all of them: it is written, sent and read once. */
function findVaryingColumns(columns: readonly BulkColumn[], rows: readonly FieldValues[]): boolean[] {
  const varying = columns.map(({ name }) => rows.some((row) => row[name] !== rows[0]![name]));
  // How many rows there are, an array says.
  return rows.length === 1 || varying.includes(true) ? varying : varying.fill(true);
}

function toRowSource(columns: readonly BulkColumn[], varying: readonly boolean[], others: number): RowSource {
  const given = columns.map(({ field, type }, index) => ({ field, value: `$${index + 1 + others}::${type}` }));
  const arrays = given.filter((_, index) => varying[index]);
  const values = given.map(({ field, value }, index) => (varying[index] ? `given.${field}` : value));
  if (arrays.length === 0) return { values, rows: undefined };
  const names = [...arrays.map(({ field }) => field), 'place'].join(', ');
  const unnested = arrays.map(({ value }) => `${value}[]`).join(', ');
  return { values, rows: `unnest(${unnested}) with ordinality as given (${names})` };
}

/** As PostgreSQL writes an array: the drivers do not agree on arrays of all types, and take text as it is. */
function toArrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(toArrayElement).join(',')}}`;
}

function toArrayElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
