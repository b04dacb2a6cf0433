/*
 * Paths of claims in a token. They depend on the identity provider: `roles`, `realm_access.roles`, `cognito:groups`,
 * `https://care.example.org/roles`.
 */

/** Splits a path at its dots. A URL is treated as a single name. */
function splitClaimPath(path: string): string[] {
  return /^https?:\/\//.test(path) ? [path] : path.split('.');
}

/**
 * Returns the value at a path, or undefined if there is none. Ignores inherited properties such as `constructor`. A claim
 * whose name is the whole path comes first: Microsoft Entra calls a directory extension `extn.clinicId`.
 */
export function readClaim(claims: unknown, path: string): unknown {
  return readOwnMember(claims, path) ?? splitClaimPath(path).reduce(readOwnMember, claims);
}

/** Sets the value at a path and keeps the other members of the objects along it. */
export function writeClaim(claims: Record<string, unknown>, path: string, value: unknown): void {
  const names = splitClaimPath(path);
  const last = names.pop()!;
  const target = names.reduce((object, name) => (object[name] ??= {}) as Record<string, unknown>, claims);
  target[last] = value;
}

function readOwnMember(target: unknown, name: string): unknown {
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  return isObject && Object.hasOwn(target, name) ? (target as Record<string, unknown>)[name] : undefined;
}
