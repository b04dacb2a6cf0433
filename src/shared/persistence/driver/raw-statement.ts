import { createQueryId, RawNode, type CompiledQuery } from 'kysely';

export type Statement = { text: string; values: unknown[] };

/** What a statement is to those who would transform it: text that nobody looks into. */
const OPAQUE_NODE = RawNode.createWithSql('');

/** As `CompiledQuery.raw()`, which makes and freezes three objects more for each statement, its values among them. */
export function toCompiledQuery<Row>(sql: string, parameters: readonly unknown[]): CompiledQuery<Row> {
  return { sql, parameters, query: OPAQUE_NODE, queryId: createQueryId() };
}
