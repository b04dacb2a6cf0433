/* Parses routes. This file does not use the browser, so that its tests run without one. */

export type RouteLocation = { path: string; query: URLSearchParams };

export function parseUrlHash(text: string): RouteLocation {
  const [path = '', query = ''] = text.replace(/^#/, '').split('?');
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query) };
}

const RECORD_ID = /^[1-9]\d{0,15}$/;

/**
 * Returns the parameters of a path, or undefined if the path does not match.
 *
 * @param pattern such as `/client/:id`. A parameter matches only the ID of a record
 */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const [expected, given] = [pattern, path].map((text) => text.split('/').filter(Boolean));
  if (expected!.length !== given!.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected!.entries()) {
    const value = given![index]!;
    if (!(part.startsWith(':') ? RECORD_ID.test(value) : part === value)) return undefined;
    if (part.startsWith(':')) params[part.slice(1)] = value;
  }
  return params;
}
