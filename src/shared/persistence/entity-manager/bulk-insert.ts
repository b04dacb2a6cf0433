import type { EntityClass, EntityManager, EntityMetadata } from '@mikro-orm/core';
import { splitIntoBatches } from '../../batches.js';
import type { Statement } from '../driver/raw-statement.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';
import {
  createTableLookup,
  MAX_ROWS_PER_STATEMENT,
  toBulkStatement,
  toValuesStatement,
  type StoredValuesByRow,
} from './bulk-statement.js';
import { Distribution } from '../distribution/distribution.js';
import { findEncryptedTable } from '../encryption/encrypted-tables.js';
import { executeStatement } from './execute-statement.js';
import { encryptionOf } from './service-entity-manager.js';

/** The rows to insert into one table. */
type TableRows = readonly [entity: EntityClass<object>, rows: readonly object[]];

type AwaitedInsert = {
  deferred?: false;
  /** A few rows of another table that the inserted rows reference. The first statement inserts these rows as well. */
  referencedRows?: TableRows | undefined;
};
type DeferredInsert = { deferred: true };

const findTable = createTableLookup(({ autoincrement }) => !autoincrement);
/** Finds the columns to insert, including the ID: rows with encrypted texts get their IDs before the statement. */
const findTableWithIds = createTableLookup(() => true);

/**
 * Inserts many new rows with few statements and without the unit of work, which accounts for half the time of a request
 * that writes sixty rows (docs/adr/0001-persistence-fast-path.md).
 *
 * By default, sets the generated IDs on the rows. With `deferred`, sends the statements together with the transaction's
 * next statement: use it for rows whose ID is not needed or has already been set.
 */
export async function bulkInsert<Row extends { id: number }>(
  em: AnyEntityManager,
  entity: EntityClass<Row>,
  rows: readonly Row[],
  options?: AwaitedInsert,
): Promise<void>;
export async function bulkInsert<Row extends object>(
  em: AnyEntityManager,
  entity: EntityClass<Row>,
  rows: readonly Row[],
  options: DeferredInsert,
): Promise<void>;
export async function bulkInsert(
  em: AnyEntityManager,
  entity: EntityClass<object>,
  rows: readonly object[],
  options: AwaitedInsert | DeferredInsert = {},
): Promise<void> {
  if (options.deferred) return insertDeferred(em, [entity, rows]);
  const { referencedRows } = options;
  if (referencedRows !== undefined && rows.length === 0) return insertDeferred(em, referencedRows);
  for (const [index, batch] of splitIntoBatches(rows, MAX_ROWS_PER_STATEMENT).entries()) {
    await insertAndSetIds(em, [entity, batch], index === 0 ? referencedRows : undefined);
  }
}

async function insertAndSetIds(em: AnyEntityManager, tableRows: TableRows, referencedRows?: TableRows): Promise<void> {
  const [, rows] = tableRows;
  if (referencedRows !== undefined && isDistributed(em)) {
    // Citus has no statement that inserts rows into two tables.
    await insertDeferred(em, referencedRows);
    return insertAndSetIds(em, tableRows);
  }
  const insert = toInsertStatement(em, tableRows, await encryptIfNeeded(em, tableRows));
  const statement =
    referencedRows === undefined
      ? insert
      : withReferencedRows(em, insert, referencedRows, await encryptIfNeeded(em, referencedRows));
  const ids = await executeStatement<{ id: string }>(em, { ...statement, text: `${statement.text} returning id` });
  (rows as { id: number }[]).forEach((row, index) => (row.id = Number(ids[index]!.id)));
}

/** Combines both inserts into one statement, which checks foreign keys only at its end. */
function withReferencedRows(
  em: AnyEntityManager,
  { text, values }: Statement,
  referencedRows: TableRows,
  encrypted: EncryptedRows | undefined,
): Statement {
  const referenced = toInsertStatement(em, referencedRows, encrypted, values);
  return { text: `with "before" as (${referenced.text}) ${text}`, values: referenced.values };
}

async function insertDeferred(em: AnyEntityManager, [entity, rows]: TableRows): Promise<void> {
  for (const batch of splitIntoBatches(rows, MAX_ROWS_PER_STATEMENT)) {
    // Without encrypted columns, nothing is awaited, so that statements are sent in the order of the calls.
    const encryption = encryptIfNeeded(em, [entity, batch]);
    const encrypted = encryption === undefined ? undefined : await encryption;
    await executeStatement(em, toInsertStatement(em, [entity, batch], encrypted), { deferred: true });
  }
}

/** Whether the rows with encrypted columns already have IDs, and the encrypted values to store. */
type EncryptedRows = { hasIds: boolean; stored: StoredValuesByRow | undefined };

/** Encrypts the rows. Returns undefined if the table has no encrypted columns. */
function encryptIfNeeded(em: AnyEntityManager, [entity, rows]: TableRows): Promise<EncryptedRows> | undefined {
  const meta = (em as EntityManager).getMetadata().get(entity) as EntityMetadata;
  return findEncryptedTable(meta) === undefined ? undefined : encrypt(em, meta, rows);
}

async function encrypt(em: AnyEntityManager, meta: EntityMetadata, rows: readonly object[]): Promise<EncryptedRows> {
  const encryption = encryptionOf(em);
  await encryption.prepareInsert(em, meta, rows);
  return { hasIds: encryption.encrypts, stored: await encryption.encryptRows(meta, rows) };
}

function isDistributed(em: AnyEntityManager): boolean {
  return Distribution.of((em as EntityManager).config).isDistributed;
}

/** @param precedingValues the values of an enclosing statement, which take the first parameter numbers */
function toInsertStatement(
  em: AnyEntityManager,
  [entity, rows]: TableRows,
  encrypted: EncryptedRows | undefined,
  precedingValues?: readonly unknown[],
): Statement {
  const table = encrypted?.hasIds ? findTableWithIds(em, entity) : findTable(em, entity);
  const columnList = table.columns.map(({ field }) => field).join(', ');
  // Row-level security does not allow COPY, which Citus would use to insert the rows of a SELECT.
  if (isDistributed(em))
    return toValuesStatement(table, rows, `insert into ${table.name} (${columnList})`, encrypted?.stored);
  return toBulkStatement(
    table,
    rows,
    ({ expressions, from }) => {
      const source = from === undefined ? '' : ` from ${from} order by place`;
      return `insert into ${table.name} (${columnList}) select ${expressions.join(', ')}${source}`;
    },
    precedingValues,
    encrypted?.stored,
  );
}
