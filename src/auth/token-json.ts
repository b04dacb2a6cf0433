import { InvalidRequestError } from '../shared/errors/index.js';
import { parseJsonBody } from '../shared/validation/index.js';

/** Every string of a JSON text, and whether it is the name of a member. */
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * True for base64url of JSON that says everything once, and nests no deeper than a body may. Two readers of a token
 * who take different ones of a repeated claim see different callers (RFC 7519, section 4; RFC 8725, section 2.4).
 */
export function isUnambiguous(part: string): boolean {
  const bytes = Buffer.from(part, 'base64url');
  try {
    return membersIn(parseJsonBody(bytes)) === membersWritten(bytes.toString());
  } catch (error) {
    if (error instanceof InvalidRequestError) return false;
    throw error;
  }
}

function membersWritten(text: string): number {
  return [...text.matchAll(STRINGS)].filter(([, colon]) => colon !== undefined).length;
}

/** Of members with one name, parsing leaves one. */
function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((count: number, part) => count + membersIn(part), own);
}
