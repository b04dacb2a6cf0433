import type { EntityManager } from '@mikro-orm/core';
import type { PgliteConnection } from '@mikro-orm/pglite';

type Query = (text: string, ...rest: unknown[]) => Promise<unknown>;
type Queries = { query: Query };

/**
 * Wraps the query method of the embedded database. PGlite has a single connection and no client class to
 * extend.
 */
export async function wrapEmbeddedQueries({ em }: { em: EntityManager }, wrap: (query: Query) => Query): Promise<void> {
  const pglite = await (em.getConnection() as unknown as PgliteConnection).getNativeClient();
  const replaceQuery = (queries: Queries) => (queries.query = wrap(queries.query.bind(queries)));
  replaceQuery(pglite as unknown as Queries);
  // Each PGlite transaction has its own `query` method.
  const transaction = pglite.transaction.bind(pglite);
  pglite.transaction = (work) =>
    transaction((native) => {
      replaceQuery(native as unknown as Queries);
      return work(native);
    });
}
