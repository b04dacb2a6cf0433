import type { EntityClass, EntityManager, EntityMetadata, Platform } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Statement } from '../driver/raw-statement.js';
import { DigestType, EncryptedType } from '../encryption/encrypted-column.types.js';
import { findUnreadableText } from '../encryption/unreadable-texts.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';
import {
  toArrayForm,
  toArrayLiteral,
  toArrayOfUnknownLength,
  toParameterType,
  type ArrayForm,
} from './array-parameter.js';

/*
 * Statements that write many rows to one table. Each column is one array parameter, or one scalar parameter if all rows
 * have the same value. The text does not depend on the number of rows, so PostgreSQL prepares it once.
 */

/** Limits the size of a statement. More rows per statement would hardly be faster. */
export const MAX_ROWS_PER_STATEMENT = 1_000;
/** Limits the memory for a table's statement texts, one for each combination of array and scalar columns. */
const MAX_CACHED_TEXTS = 200;

type FieldValues = Readonly<Record<string, unknown>>;
/** The values to store instead of those of the rows, such as encrypted texts. Keyed by row, then by property. */
export type StoredValuesByRow = ReadonlyMap<object, Readonly<Record<string, string | null>>>;

type BulkColumn = {
  name: string;
  field: string;
  type: string;
  isEncrypted: boolean;
  toDatabaseValue: (value: unknown) => unknown;
  array: ArrayForm;
};

/** A table, the columns that one kind of statement writes, such as an insert, and a cache of the statement texts. */
type BulkTable = { name: string; columns: BulkColumn[]; texts: Map<string, string> };

/** One SQL expression per column. `from` is the FROM item that they read, or undefined if all columns are scalars. */
type RowSource = { expressions: string[]; from: string | undefined };

/**
 * Creates a function that returns an entity's table and caches it.
 *
 * @param isWritten returns whether the statements write a property's column
 */
export function createTableLookup(isWritten: (prop: EntityMetadata['props'][number]) => boolean) {
  const tables = new WeakMap<EntityMetadata, BulkTable>();
  return (tenantEm: AnyEntityManager, entity: EntityClass<object>): BulkTable => {
    const em = tenantEm as EntityManager as SqlEntityManager;
    const meta = em.getMetadata().get(entity) as EntityMetadata;
    const cached = tables.get(meta);
    if (cached !== undefined) return cached;
    const props = meta.props.filter((prop) => prop.persist !== false && isWritten(prop));
    const columns = props.map((prop) => toBulkColumn(prop, em.getPlatform()));
    const table = { name: `"${meta.tableName}"`, columns, texts: new Map<string, string>() };
    tables.set(meta, table);
    return table;
  };
}

/**
 * Builds the statement that writes the given rows. Requires at least one row.
 *
 * @param buildText returns the text for a row source; cached for each combination of array and scalar columns
 * @param precedingValues the values of an enclosing statement, which take the first parameter numbers
 * @param stored the encrypted texts of the rows
 */
export function toBulkStatement(
  table: BulkTable,
  rows: readonly object[],
  buildText: (source: RowSource) => string,
  precedingValues: readonly unknown[] = [],
  stored?: StoredValuesByRow,
): Statement {
  const isArray = findVaryingColumns(table.columns, rows as readonly FieldValues[], stored);
  const values = table.columns.map((column, index) => {
    const convert = isArray[index] ? column.array.toElement : column.toDatabaseValue;
    const valueOf = (row: object) => toStoredValue(column, row as FieldValues, stored?.get(row), convert);
    return isArray[index] ? toArrayLiteral(rows.map(valueOf)) : valueOf(rows[0]!);
  });
  const key = `${isArray.join()} ${precedingValues.length}`;
  const text =
    table.texts.get(key) ??
    cacheText(table, key, buildText(toRowSource(table.columns, isArray, precedingValues.length)));
  return { text, values: [...precedingValues, ...values] };
}

/** Builds a statement with one parameter for each value, whose text depends on the number of rows. */
export function toValuesStatement(
  table: BulkTable,
  rows: readonly object[],
  before: string,
  stored?: StoredValuesByRow,
): Statement {
  const values: unknown[] = [];
  const tuples = rows.map((row) => {
    const parameters = table.columns.map((column) => {
      const value = toStoredValue(column, row as FieldValues, stored?.get(row));
      return `$${values.push(toParameter(column.type, value))}::${column.type}`;
    });
    return `(${parameters.join(', ')})`;
  });
  return { text: `${before} values ${tuples.join(', ')}`, values };
}

/** Converts JSON values to text, because pg would send an array for a JSON column as an array literal. */
function toParameter(type: string, value: unknown): unknown {
  const isJson = typeof value === 'object' && value !== null && !type.endsWith('[]');
  return isJson ? JSON.stringify(value) : value;
}

function cacheText({ texts }: BulkTable, key: string, text: string): string {
  if (texts.size >= MAX_CACHED_TEXTS) texts.clear();
  texts.set(key, text);
  return text;
}

function toBulkColumn(prop: EntityMetadata['props'][number], platform: Platform): BulkColumn {
  const { name, fieldNames, customType } = prop;
  const toDatabaseValue = (value: unknown): unknown =>
    customType === undefined ? value : customType.convertToDatabaseValue(value, platform);
  const type = toParameterType(prop);
  const isEncrypted = customType instanceof EncryptedType || customType instanceof DigestType;
  const array = toArrayForm(type, customType, toDatabaseValue);
  return { name, field: `"${fieldNames[0]!}"`, type, isEncrypted, toDatabaseValue, array };
}

function toStoredValue(
  column: BulkColumn,
  row: FieldValues,
  stored: FieldValues | undefined,
  convert = column.toDatabaseValue,
): unknown {
  const value = row[column.name];
  const kept = findUnreadableText(row, column.name, value);
  if (kept !== undefined) return kept;
  return stored !== undefined && column.name in stored ? stored[column.name] : convert(value);
}

/**
 * Returns, for each column, whether its values differ between the rows. A value that all rows share is converted and
 * sent only once.
 */
function findVaryingColumns(
  columns: readonly BulkColumn[],
  rows: readonly FieldValues[],
  stored: StoredValuesByRow | undefined,
): boolean[] {
  // Encrypted columns always vary: equal texts have different ciphertexts, and all unreadable texts look the same.
  const isVarying = columns.map(
    ({ name, isEncrypted }) =>
      rows.some((row) => row[name] !== rows[0]![name]) ||
      (isEncrypted && rows.length > 1 && (rows[0]![name] != null || stored?.get(rows[0]!)?.[name] != null)),
  );
  // Several rows require at least one array, whose length is the number of rows.
  return rows.length === 1 || isVarying.includes(true) ? isVarying : isVarying.fill(true);
}

function toRowSource(columns: readonly BulkColumn[], isArray: readonly boolean[], precedingCount: number): RowSource {
  const parameters = columns.map(({ field, type, array }, index) => ({
    ...{ field, type, array },
    parameter: `$${index + 1 + precedingCount}`,
  }));
  const arrays = parameters.filter((_, index) => isArray[index]);
  const expressions = parameters.map(({ field, type, array, parameter }, index) =>
    isArray[index] ? array.toExpression(`given.${field}`) : `${parameter}::${type}`,
  );
  if (arrays.length === 0) return { expressions, from: undefined };
  const names = [...arrays.map(({ field }) => field), 'place'].join(', ');
  const [first, ...others] = arrays.map(({ parameter, array }) => `${parameter}::${array.type}[]`);
  const unnested = [toArrayOfUnknownLength(first!), ...others].join(', ');
  return { expressions, from: `unnest(${unnested}) with ordinality as given (${names})` };
}
