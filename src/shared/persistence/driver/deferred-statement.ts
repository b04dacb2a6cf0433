import type { CompiledQuery } from 'kysely';

/** The parameter arrays of deferred statements: Kysely passes the array of a query to the client unchanged (ADR 8). */
const deferredParameters = new WeakSet<object>();

/**
 * Marks a statement as deferred. `PipelinedClient` sends it together with the next statement and does not wait for its
 * result. A failure rejects the next awaited statement, at the latest COMMIT. Other drivers execute it at once.
 */
export function markDeferred<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  deferredParameters.add(query.parameters);
  return query;
}

/** @param parameters as the client gets them with the text of a statement */
export function isDeferred(parameters: unknown): boolean {
  return typeof parameters === 'object' && parameters !== null && deferredParameters.has(parameters);
}
