import type { CompiledQuery } from 'kysely';
import type { UnreachableServers } from '../distribution/unreachable-servers.js';

/**
 * The rows of a distributed database that a statement uses, or the transaction that it begins: those of a Clinic, those
 * of all Clinics if `clinicId` is undefined, or the rows in which the Clinic of a caller is looked up.
 */
export type ServerUse = { servers: UnreachableServers; clinicId?: number; isLookup?: true };

/** Keyed by the parameters of the statement, which Kysely passes to the client unchanged (ADR 8). */
const uses = new WeakMap<object, ServerUse>();

/** Tells the client which rows a statement uses, or the transaction that it begins. */
export function markServerUse<Row>(query: CompiledQuery<Row>, use: ServerUse): CompiledQuery<Row> {
  uses.set(query.parameters, use);
  return query;
}

/** @param parameters the parameters that the client receives with the statement text */
export function findServerUse(parameters: unknown): ServerUse | undefined {
  return typeof parameters === 'object' && parameters !== null ? uses.get(parameters) : undefined;
}

/** Whether a statement would wait for a server that does not answer. */
export function isForUnreachableServer({ servers, clinicId, isLookup }: ServerUse): boolean {
  return isLookup === true ? servers.names.length > 0 : clinicId !== undefined && servers.hasClinic(clinicId);
}
