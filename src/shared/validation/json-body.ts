import { InvalidRequestError } from '../errors/index.js';

/** Deeper than any body of ours by far; deeper nesting exhausts the stack of recursive validators. */
export const MAX_JSON_DEPTH = 32;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the body of a request: UTF-8 (RFC 8259, section 8.1), bounded in depth. Of a repeated
 * member the last one counts, as in every JSON.parse.
 *
 * @throws InvalidRequestError (400) pointing at the whole body
 */
export function parseJsonBody(body: Buffer): unknown {
  const value = parse(decode(body));
  if (isDeeperThan(MAX_JSON_DEPTH, value)) throw malformed(`must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
  return value;
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw malformed('must be valid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('must be valid JSON');
  }
}

/** `JSON.parse` itself takes any depth. */
function isDeeperThan(limit: number, value: unknown): boolean {
  if (!(value instanceof Object)) return false;
  return limit === 0 || Object.values(value).some((inner) => isDeeperThan(limit - 1, inner));
}

function malformed(detail: string): InvalidRequestError {
  return new InvalidRequestError([{ pointer: '', detail }]);
}
