import type { MikroORM } from '@mikro-orm/core';
import type { Tracing } from '../../tracing/index.js';
import { wrapEmbeddedQueries } from './embedded-queries.js';
import type { PipelinedClient } from './pipelined-client.js';

/**
 * Returns a client class that records a span for each statement of the ORM. If tracing is off, returns the given class
 * unchanged.
 */
export function withStatementSpans(Client: typeof PipelinedClient, tracing: Tracing): typeof PipelinedClient {
  if (!tracing.isOn) return Client;
  return class TracedClient extends Client {
    protected override send(text: string, values: unknown): Promise<unknown> {
      return tracing.runStatement(text, () => super.send(text, values));
    }
  };
}

/** Records a span for each statement on the embedded database. */
export async function traceEmbeddedStatements(orm: MikroORM, tracing: Tracing): Promise<void> {
  if (!tracing.isOn) return;
  await wrapEmbeddedQueries(
    orm,
    (query) =>
      (text, ...rest) =>
        tracing.runStatement(text, () => query(text, ...rest)),
  );
}
