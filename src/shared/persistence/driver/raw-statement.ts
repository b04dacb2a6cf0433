import { createQueryId, RawNode, type CompiledQuery } from 'kysely';

/** The text of a statement, with `$1` … for its values. */
export type Statement = { text: string; values: unknown[] };

/** The syntax tree of a raw statement: no plugin of Kysely transforms it. */
const OPAQUE_NODE = RawNode.createWithSql('');

/** Does the same as `CompiledQuery.raw()`, which creates and freezes three more objects for each statement. */
export function toCompiledQuery<Row>(text: string, values: readonly unknown[]): CompiledQuery<Row> {
  return { sql: text, parameters: values, query: OPAQUE_NODE, queryId: createQueryId() };
}
