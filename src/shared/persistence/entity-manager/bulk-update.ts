import type { EntityClass } from '@mikro-orm/core';
import { MAX_ROWS_PER_STATEMENT, executeStatement, toBulkStatement, createTableLookup } from './bulk-statement.js';
import { DEFERRED } from '../driver/deferred-statement.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';
import type { Statement } from '../driver/raw-statement.js';

const findTable = createTableLookup(() => true);

/** Which row it is, and whose. */
const KEY_COLUMNS = new Set(['id', 'clinicId']);

/**
 * Writes rows that were read as they are (`AS_IT_IS`) and have been changed since, by few statements: nothing waits for
 * them but the next one. Leaves the unit of work out, which looks at every row that was read, and at every column of it.
 * To be called by who holds the rows, or what they belong to: all of their columns are written.
 */
export async function bulkUpdate<Row extends { id: number; clinicId: number }>(
  em: AnyEntityManager,
  entity: EntityClass<Row>,
  rows: readonly Row[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += MAX_ROWS_PER_STATEMENT) {
    const { text, values } = toUpdateStatement(em, entity, rows.slice(start, start + MAX_ROWS_PER_STATEMENT));
    await executeStatement(em, `${DEFERRED} ${text}`, values);
  }
}

function toUpdateStatement(em: AnyEntityManager, entity: EntityClass<object>, rows: readonly object[]): Statement {
  const table = findTable(em, entity);
  return toBulkStatement(table, rows, (given) => {
    const terms = table.columns.map(({ name, field }, index) => ({ name, field, value: given.values[index]! }));
    const set = terms.filter(({ name }) => !KEY_COLUMNS.has(name)).map(({ field, value }) => `${field} = ${value}`);
    const where = terms
      .filter(({ name }) => KEY_COLUMNS.has(name))
      .map(({ field, value }) => `${table.name}.${field} = ${value}`);
    const from = given.rows === undefined ? '' : ` from ${given.rows}`;
    return `update ${table.name} set ${set.join(', ')}${from} where ${where.join(' and ')}`;
  });
}
