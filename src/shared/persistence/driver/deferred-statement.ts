import type { CompiledQuery } from 'kysely';
import type { LogPosition } from '../replica/log-position.js';

/** The parameter arrays of deferred statements, which Kysely passes to the client unchanged (ADR 8). */
const deferredParameters = new WeakSet<object>();

/**
 * Marks a statement as deferred. `PipelinedClient` sends it together with the next statement and does not wait for its
 * result. If it fails, the next awaited statement rejects, at the latest COMMIT. Other drivers execute it immediately.
 */
export function markDeferred<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  deferredParameters.add(query.parameters);
  return query;
}

/** @param parameters the parameters that the client receives with the statement text */
export function isDeferred(parameters: unknown): boolean {
  return typeof parameters === 'object' && parameters !== null && deferredParameters.has(parameters);
}

type RowObserver = (row: Readonly<Record<string, string>>) => void;

/** Functions that receive the first row of a deferred statement, keyed by its parameter array. */
const rowObservers = new WeakMap<object, RowObserver>();

/** Registers a function that receives the first row of a statement that is sent without waiting for its result. */
export function observeFirstRow<Row>(query: CompiledQuery<Row>, observer: RowObserver): CompiledQuery<Row> {
  rowObservers.set(query.parameters, observer);
  return query;
}

/** @param parameters the parameters that the client receives with the statement text */
export function findRowObserver(parameters: unknown): RowObserver | undefined {
  return typeof parameters === 'object' && parameters !== null ? rowObservers.get(parameters) : undefined;
}

/**
 * The positions that a replica must have reached before a transaction begins, keyed by the parameters of the
 * transaction's session statement.
 */
const requiredPositions = new WeakMap<object, LogPosition>();

/** Makes a session statement, and therefore its transaction, fail on a replica that has not reached a position. */
export function withRequiredPosition<Row>(query: CompiledQuery<Row>, position: LogPosition): CompiledQuery<Row> {
  requiredPositions.set(query.parameters, position);
  return query;
}

/** @param parameters the parameters that the client receives with the statement text */
export function findRequiredPosition(parameters: unknown): LogPosition | undefined {
  return typeof parameters === 'object' && parameters !== null ? requiredPositions.get(parameters) : undefined;
}
