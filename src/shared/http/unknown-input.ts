import type { FastifyRequest } from 'fastify';
import { InvalidRequestError, MAX_VIOLATIONS, type Violation } from '../errors/index.js';
import {
  findUnknownFields,
  formatNameSuggestion,
  nameMissingMembers,
  toPointer,
  toViolations,
} from '../validation/index.js';
import type { HttpPreferences } from './prefer.js';

/**
 * Refuses unknown query parameters and body fields. Otherwise, a misspelt filter, field or `dryRun` would have no
 * effect, without an error. Lenient operations ignore them unless the request prefers strict handling.
 *
 * @throws InvalidRequestError (400) with a pointer to each unknown name, and to each other violation of the body
 */
export function refuseUnknownInput(request: FastifyRequest, preferences: HttpPreferences): void {
  const { operation } = request.routeOptions.config;
  if (operation?.isLenient && preferences.handling !== 'strict') return;
  const unknown = [...findUnknownQuery(request), ...findUnknownBodyFields(request)];
  if (unknown.length === 0) return;
  // All violations are reported at once. If there are no unknown names, the pipe alone validates the body.
  const issues = operation?.bodySchema?.safeParse(request.body).error?.issues ?? [];
  const others = toViolations(nameMissingMembers(issues, request.body), MAX_VIOLATIONS);
  throw new InvalidRequestError([...unknown, ...others].slice(0, MAX_VIOLATIONS));
}

function findUnknownQuery({ query, routeOptions }: FastifyRequest): Violation[] {
  const { operation } = routeOptions.config;
  if (operation?.ignoresUnknownQuery) return [];
  const known = operation?.queryParameters ?? [];
  const unknown = Object.keys(query as object).filter((name) => !known.includes(name));
  return unknown.slice(0, MAX_VIOLATIONS).map((name) => toViolation(name, known));
}

/**
 * Finds unknown fields in a JSON body. The lines of an import are checked separately, because each has its own result.
 */
function findUnknownBodyFields({ body, routeOptions: { config } }: FastifyRequest): Violation[] {
  if (config.readsNdjson || config.ignoresForm) return [];
  if (config.operation?.bodySchema === undefined && isOtherThanObject(body))
    return [{ pointer: '', detail: 'must be absent: this operation has no fields' }];
  return findUnknownFields(config.operation?.bodySchema, body, MAX_VIOLATIONS);
}

function isOtherThanObject(body: unknown): boolean {
  return body !== undefined && body !== null && (typeof body !== 'object' || Array.isArray(body));
}

function toViolation(name: string, known: readonly string[]): Violation {
  return {
    pointer: toPointer([name]),
    detail: `is not a query parameter of this operation${formatNameSuggestion(name, known)}`,
  };
}
