import { InvalidRequestError } from '../errors/index.js';

/** Maximum nesting depth of a JSON body. Without a limit, recursive validators could exhaust the stack. */
export const MAX_JSON_DEPTH = 32;

const [QUOTE, BACKSLASH, BRACE, END_OF_BRACE, BRACKET, END_OF_BRACKET] = Buffer.from('"\\{}[]');
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a request body as JSON in UTF-8 (RFC 8259, section 8.1) with a limited nesting depth. If a member is repeated,
 * the last value is used, as in `JSON.parse`.
 *
 * @throws InvalidRequestError (400) with a pointer to the whole body if the body is malformed or nested too deeply
 */
export function parseJsonBody(body: Buffer): unknown {
  const text = decode(body);
  if (isDeeperThan(MAX_JSON_DEPTH, text))
    throw toMalformedBodyError(`must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
  try {
    return JSON.parse(text);
  } catch {
    throw toMalformedBodyError('must be valid JSON');
  }
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw toMalformedBodyError('must be valid UTF-8');
  }
}

function isDeeperThan(limit: number, text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (inString) {
      if (character === BACKSLASH) index += 1;
      else if (character === QUOTE) inString = false;
    } else if (character === QUOTE) inString = true;
    else if (character === BRACE || character === BRACKET) {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === END_OF_BRACE || character === END_OF_BRACKET) depth -= 1;
  }
  return false;
}

function toMalformedBodyError(detail: string): InvalidRequestError {
  return new InvalidRequestError([{ pointer: '', detail }]);
}
