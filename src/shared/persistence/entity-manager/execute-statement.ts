import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { RawBuilder } from 'kysely';
import { markDeferred } from '../driver/deferred-statement.js';
import { toCompiledQuery, type Statement } from '../driver/raw-statement.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';

/** Executes a statement in the EntityManager's transaction. Returns its rows, or none if the statement is deferred. */
export async function executeStatement<Row>(
  em: AnyEntityManager,
  { text, values }: Statement,
  { deferred = false }: { deferred?: boolean } = {},
): Promise<Row[]> {
  const query = toCompiledQuery<Row>(text, values);
  return (await kyselyOf(em).executeQuery(deferred ? markDeferred(query) : query)).rows;
}

/**
 * Executes SQL whose result is not needed. It is sent together with the transaction's next statement; if it fails, the
 * next awaited statement rejects. Requires a transaction.
 */
export async function executeDeferred(em: AnyEntityManager, statement: RawBuilder<unknown>): Promise<void> {
  const kysely = kyselyOf(em);
  await kysely.executeQuery(markDeferred(statement.compile(kysely)));
}

/** Waits for the results of all deferred statements that were executed so far. Rejects if one of them has failed. */
export async function awaitDeferred(em: AnyEntityManager): Promise<void> {
  await executeStatement(em, { text: 'select', values: [] });
}

function kyselyOf(em: AnyEntityManager) {
  return (em as EntityManager as SqlEntityManager).getKysely();
}
