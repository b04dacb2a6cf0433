/*
 * Where in a token a claim stands. Identity providers have their own places: `roles`, `realm_access.roles`,
 * `cognito:groups`, `https://care.example.org/roles`.
 */

/** The names on the way to a claim. Dots separate them, but for a claim that is named by a URL. */
function splitClaimPath(path: string): string[] {
  return /^https?:\/\//.test(path) ? [path] : path.split('.');
}

/** What stands at a path; undefined where nothing does. Never what an object has by its prototype. */
export function readClaim(claims: unknown, path: string): unknown {
  return splitClaimPath(path).reduce(readOwnMember, claims);
}

/** Puts a value at a path, beside what stands there already. */
export function writeClaim(claims: Record<string, unknown>, path: string, value: unknown): void {
  const names = splitClaimPath(path);
  const last = names.pop()!;
  const holder = names.reduce((at, name) => (at[name] ??= {}) as Record<string, unknown>, claims);
  holder[last] = value;
}

function readOwnMember(holder: unknown, name: string): unknown {
  const isObject = typeof holder === 'object' && holder !== null && !Array.isArray(holder);
  return isObject && Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;
}
