import type { FastifyRequest } from 'fastify';
import { InvalidRequestError, type Violation } from '../errors/index.js';
import { findNearestName, toPointer } from '../validation/index.js';

/** Limits the size of an error response. */
const MAX_VIOLATIONS = 100;

/**
 * Refuses unknown query parameters unless the operation ignores them. Otherwise, a misspelt filter or `dryRun` would
 * silently have no effect.
 *
 * @throws InvalidRequestError (400) with a pointer to each unknown parameter
 */
export function refuseUnknownQuery({ query, routeOptions }: FastifyRequest): void {
  const { operation } = routeOptions.config;
  if (operation?.ignoresUnknownQuery) return;
  const known = operation?.queryParameters ?? [];
  const unknown = Object.keys(query as object).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new InvalidRequestError(unknown.slice(0, MAX_VIOLATIONS).map((name) => toViolation(name, known)));
}

function toViolation(name: string, known: readonly string[]): Violation {
  const nearest = findNearestName(name, known);
  const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`;
  return { pointer: toPointer([name]), detail: `is not a query parameter of this operation${hint}` };
}
