import type { EntityClass } from '@mikro-orm/core';
import { MAX_ROWS_PER_STATEMENT, executeStatement, toBulkStatement, createTableLookup } from './bulk-statement.js';
import { DEFERRED } from '../driver/deferred-statement.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';
import type { Statement } from '../driver/raw-statement.js';

/** New rows of one table. */
type RowsOfTable = readonly [entity: EntityClass<object>, rows: readonly object[]];

const findTable = createTableLookup(({ autoincrement }) => !autoincrement);

/**
 * Inserts new rows by few statements. Leaves the unit of work out, which takes half the time of a request that writes
 * sixty rows.
 *
 * @param before the few rows of another table that these refer to: they go in with the first statement
 */
export async function bulkInsert<Row extends { id: number }>(
  em: AnyEntityManager,
  entity: EntityClass<Row>,
  rows: readonly Row[],
  before?: RowsOfTable,
): Promise<void> {
  if (before !== undefined && rows.length === 0) await insertDeferred(em, ...before);
  for (let start = 0; start < rows.length; start += MAX_ROWS_PER_STATEMENT) {
    const chunk = rows.slice(start, start + MAX_ROWS_PER_STATEMENT);
    const { text, values } = toInsertStatement(em, [entity, chunk]);
    const statement = start === 0 && before !== undefined ? toInsertStatement(em, before, values) : undefined;
    const whole = statement === undefined ? text : `with "before" as (${statement.text}) ${text}`;
    const ids = await executeStatement<{ id: string }>(em, `${whole} returning id`, statement?.values ?? values);
    chunk.forEach((row, index) => (row.id = Number(ids[index]!.id)));
  }
}

/** The same for rows whose ids nobody asks for, or that have theirs: nothing waits for them but the next statement. */
export async function insertDeferred<Row extends object>(
  em: AnyEntityManager,
  entity: EntityClass<Row>,
  rows: readonly Row[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += MAX_ROWS_PER_STATEMENT) {
    const { text, values } = toInsertStatement(em, [entity, rows.slice(start, start + MAX_ROWS_PER_STATEMENT)]);
    await executeStatement(em, `${DEFERRED} ${text}`, values);
  }
}

/** @param others values that have the first numbers */
function toInsertStatement(em: AnyEntityManager, [entity, rows]: RowsOfTable, others?: readonly unknown[]): Statement {
  const table = findTable(em, entity);
  return toBulkStatement(
    table,
    rows,
    (given) => {
      const fields = table.columns.map(({ field }) => field).join(', ');
      const from = given.rows === undefined ? '' : ` from ${given.rows} order by place`;
      return `insert into ${table.name} (${fields}) select ${given.values.join(', ')}${from}`;
    },
    others,
  );
}
