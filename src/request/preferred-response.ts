import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVary, isReadOnly, readPreferences, addPreferenceApplied, withEtagHeader } from '../shared/http/index.js';

/** Adds `Vary: Prefer` if the operation supports the `return` preference. Error responses need it as well. */
export function setVaryByPreference({ routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (!routeOptions.config.operation?.preferences.includes('return')) return;
  addVary(reply, 'Prefer');
}

/**
 * Sets the `ETag` of a result with one record, and applies the `return` preference (RFC 7240, section 4.2).
 * A dry run is only made for its body, so it ignores the preference.
 *
 * @returns the body of the response
 */
export function applyReturnPreference(request: FastifyRequest, reply: FastifyReply, result: unknown): unknown {
  const { operation } = request.routeOptions.config;
  if (operation === undefined || isReadOnly(request)) return result;
  const version = result === undefined ? undefined : operation.versionOf?.(result as never);
  if (version !== undefined) withEtagHeader(reply, version, result);
  const preference = readPreferences(request).return;
  if (preference === undefined) return result;
  addPreferenceApplied(reply, 'return', preference);
  const body = preference === 'minimal' ? undefined : result;
  if (reply.statusCode !== 201) reply.status(body === undefined ? 204 : 200);
  return body;
}
