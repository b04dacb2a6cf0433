import type { EntityClass, EntityManager, EntityMetadata } from '@mikro-orm/core';
import { splitIntoBatches } from '../../batches.js';
import type { Statement } from '../driver/raw-statement.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';
import {
  createTableLookup,
  MAX_ROWS_PER_STATEMENT,
  toBulkStatement,
  type StoredValuesByRow,
} from './bulk-statement.js';
import { DigestType, EncryptedType } from '../encryption/encrypted-column.types.js';
import { findEncryptedTable } from '../encryption/encrypted-tables.js';
import { executeStatement } from './execute-statement.js';
import { encryptionOf } from './service-entity-manager.js';

const findTable = createTableLookup(() => true);
const findTableWithoutTexts = createTableLookup(
  ({ customType }) => !(customType instanceof EncryptedType) && !(customType instanceof DigestType),
);

/** The columns that identify a row and its Clinic. They are used as conditions of the update and never written. */
const KEY_COLUMNS = new Set(['id', 'clinicId']);

type BulkUpdateOptions = {
  deferred?: boolean;
  /** Leaves all encrypted columns as they are, for rows that were read without them. */
  withoutTexts?: boolean;
};

/**
 * Updates rows that were read with `FOR_BULK_UPDATE` and then changed. Writes all their columns in a few statements,
 * without the unit of work, which would compare every column of every row.
 *
 * The caller must hold a lock on the rows, or on the record that they belong to. Otherwise, concurrent changes by
 * another transaction would be overwritten. If `deferred` is set, the statements are sent together with the
 * transaction's next statement.
 */
export async function bulkUpdate<Row extends { id: number; clinicId: number }>(
  em: AnyEntityManager,
  entity: EntityClass<Row>,
  rows: readonly Row[],
  { deferred = false, withoutTexts = false }: BulkUpdateOptions = {},
): Promise<void> {
  for (const batch of splitIntoBatches(rows, MAX_ROWS_PER_STATEMENT)) {
    const meta = (em as EntityManager).getMetadata().get(entity) as EntityMetadata;
    // Unchanged columns are written too, and texts whose key was destroyed meanwhile must not be written in clear.
    const hasTexts = !withoutTexts && findEncryptedTable(meta) !== undefined;
    const stored = hasTexts ? await encryptionOf(em).encryptRows(meta, batch, { ifDestroyed: 'erase' }) : undefined;
    const table = (withoutTexts ? findTableWithoutTexts : findTable)(em, entity);
    await executeStatement(em, toUpdateStatement(table, batch, stored), { deferred });
  }
}

function toUpdateStatement(
  table: ReturnType<typeof findTable>,
  rows: readonly object[],
  stored: StoredValuesByRow | undefined,
): Statement {
  const buildText: Parameters<typeof toBulkStatement>[2] = ({ expressions, from }) => {
    const columns = table.columns.map(({ name, field }, index) => ({ name, field, value: expressions[index]! }));
    const assignments = columns
      .filter(({ name }) => !KEY_COLUMNS.has(name))
      .map(({ field, value }) => `${field} = ${value}`);
    const conditions = columns
      .filter(({ name }) => KEY_COLUMNS.has(name))
      .map(({ field, value }) => `${table.name}.${field} = ${value}`);
    const source = from === undefined ? '' : ` from ${from}`;
    return `update ${table.name} set ${assignments.join(', ')}${source} where ${conditions.join(' and ')}`;
  };
  return toBulkStatement(table, rows, buildText, [], stored);
}
