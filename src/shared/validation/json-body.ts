import { InvalidRequestError } from '../errors/index.js';

/** Deeper than any body of ours by far; deeper nesting exhausts the stack of recursive validators. */
export const MAX_JSON_DEPTH = 32;

const [QUOTE, BACKSLASH, BRACE, END_OF_BRACE, BRACKET, END_OF_BRACKET] = Buffer.from('"\\{}[]');
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the body of a request: UTF-8 (RFC 8259, section 8.1), bounded in depth. Of a repeated
 * member the last one counts, as in every JSON.parse.
 *
 * @throws InvalidRequestError (400) pointing at the whole body
 */
export function parseJsonBody(body: Buffer): unknown {
  const text = decode(body);
  if (isDeeperThan(MAX_JSON_DEPTH, text)) throw malformed(`must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('must be valid JSON');
  }
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw malformed('must be valid UTF-8');
  }
}

function isDeeperThan(limit: number, text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) index = endOfString(text, index);
    else if (character === BRACE || character === BRACKET) {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === END_OF_BRACE || character === END_OF_BRACKET) depth -= 1;
  }
  return false;
}

/** Most of a body is within strings: `indexOf` goes through them many characters at a time. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function malformed(detail: string): InvalidRequestError {
  return new InvalidRequestError([{ pointer: '', detail }]);
}
