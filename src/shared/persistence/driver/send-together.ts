import { AsyncLocalStorage } from 'node:async_hooks';
import type { CompiledQuery, ConnectionProvider, ControlledTransaction, DatabaseConnection } from 'kysely';

type Queries = readonly (() => Promise<unknown>)[];
type Results<Given extends Queries> = { -readonly [Index in keyof Given]: Awaited<ReturnType<Given[Index]>> };

/** Called when the query that runs in this context has sent its first statement. */
const onSent = new AsyncLocalStorage<() => void>();

/**
 * Runs queries of a transaction in one round trip: each query begins when the previous one has sent its first statement,
 * so PostgreSQL executes these statements in the given order. A query must not depend on the result of another, nor begin
 * a savepoint. With the embedded database, each query begins when the previous one has ended.
 *
 * @returns the results of all queries; once all queries have ended, rejects with the first error, which makes PostgreSQL reject the
 *   queries after it
 */
export async function sendTogether<const Given extends Queries>(queries: Given): Promise<Results<Given>> {
  const outer = onSent.getStore();
  const results: Promise<unknown>[] = [];
  try {
    for (const query of queries) {
      await new Promise<void>((resolve, reject) => {
        const sent = () => {
          resolve();
          outer?.();
        };
        const result = onSent.run(sent, query);
        results.push(result);
        result.then(() => resolve(), reject);
      });
    }
    return (await Promise.all(results)) as Results<Given>;
  } finally {
    // After the roll-back, further statements of a query that goes on would be executed outside the transaction.
    await Promise.allSettled(results);
  }
}

/** Sends statements without waiting for the results of earlier ones. Kysely's own provider waits for each of them. */
class PipelinedConnection implements ConnectionProvider {
  constructor(private readonly connection: DatabaseConnection) {}

  provideConnection<Result>(use: (connection: DatabaseConnection) => Promise<Result>): Promise<Result> {
    const result = use(this.connection);
    onSent.getStore()?.();
    return result;
  }
}

/** Makes a transaction send statements without waiting for the results of earlier ones (ADR 8). */
export async function pipelineStatements<Transaction extends ControlledTransaction<unknown, never>>(
  transaction: Transaction,
): Promise<Transaction> {
  const waiting = transaction.getExecutor();
  const connection = await waiting.provideConnection((provided) => Promise.resolve(provided));
  const provider = new PipelinedConnection(connection);
  const executor = waiting.withConnectionProvider(provider);
  return Object.assign(transaction, {
    getExecutor: () => executor,
    // The executor only adds plugins, of which there are none, and refuses statements after the end of the transaction.
    executeQuery: (query: CompiledQuery) =>
      transaction.isCommitted || transaction.isRolledBack
        ? executor.executeQuery(query)
        : provider.provideConnection((own) => own.executeQuery(query)),
  });
}
