import { createQueryId, RawNode, type CompiledQuery } from 'kysely';

/** A statement's text, with placeholders (`$1` …) for its values. */
export type Statement = { text: string; values: unknown[] };

/** A syntax tree node that stands for a raw statement. No Kysely plugin transforms it. */
const OPAQUE_NODE = RawNode.createWithSql('');

/**
 * Does the same as `CompiledQuery.raw()`, but without the three additional objects that the latter creates and freezes
 * per statement.
 */
export function toCompiledQuery<Row>(text: string, values: readonly unknown[]): CompiledQuery<Row> {
  return { sql: text, parameters: values, query: OPAQUE_NODE, queryId: createQueryId() };
}
