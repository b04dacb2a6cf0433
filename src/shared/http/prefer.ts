import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The preferences (RFC 7240) in a request that its operation supports. */
export type HttpPreferences = {
  handling?: 'strict' | 'lenient';
  return?: 'minimal' | 'representation';
};
export type HttpPreferenceName = keyof HttpPreferences;

const VALUES = { handling: ['strict', 'lenient'], return: ['minimal', 'representation'] } as const;

/** Parts of the header: `,` between preferences, `;` before parameters, and the text between them. */
const PARTS = /[,;]|(?:[^",;]|"(?:[^"\\]|\\.)*"?)+/g;
const PREFERENCE = /^([!#$%&'*+.^_`|~\w-]+)(?:[ \t]*=[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)"))?$/;

/**
 * Parses a `Prefer` header (RFC 7240, section 2) into a map with lower-case names. A preference without a value has the
 * value `''`. If a preference is repeated, the first one counts. Parameters and malformed preferences are ignored.
 */
export function parsePrefer(header: string): Map<string, string> {
  const preferences = new Map<string, string>();
  let isParameter = false;
  for (const [part] of header.matchAll(PARTS)) {
    if (part === ',' || part === ';') {
      isParameter = part === ';';
      continue;
    }
    const [, name, token, quoted = ''] = (!isParameter && PREFERENCE.exec(part.trim())) || [];
    const key = name?.toLowerCase();
    if (key !== undefined && !preferences.has(key)) preferences.set(key, token ?? quoted.replaceAll(/\\(.)/g, '$1'));
  }
  return preferences;
}

/** Returns the preferences of a request that its operation supports. All others are ignored, as RFC 7240 requires. */
export function readPreferences({ headers, routeOptions }: FastifyRequest): HttpPreferences {
  const known = routeOptions.config.operation?.preferences ?? [];
  const header = headers['prefer'];
  if (header === undefined || known.length === 0) return {};
  const given = parsePrefer(String(header));
  const entries = known.flatMap((name) => {
    const value = VALUES[name].find((one) => one === given.get(name)?.toLowerCase());
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** Adds a preference that was applied to the `Preference-Applied` header. */
export function addPreferenceApplied(reply: FastifyReply, name: HttpPreferenceName, value: string): void {
  const applied = reply.getHeader('preference-applied');
  const preference = `${name}=${value}`;
  reply.header('preference-applied', applied === undefined ? preference : `${String(applied)}, ${preference}`);
}

/**
 * Parameter decorator that returns whether the caller prefers to receive the created or changed record in the response.
 */
export const WantsRepresentation = createParamDecorator(
  (_: unknown, context: ExecutionContext): boolean =>
    readPreferences(context.switchToHttp().getRequest<FastifyRequest>()).return === 'representation',
);
