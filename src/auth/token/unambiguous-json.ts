import { InvalidRequestError } from '../../shared/errors/index.js';
import { parseJsonBody } from '../../shared/validation/index.js';

/** Every string of a JSON text, and whether it is the name of a member. */
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * The value of base64url of JSON that says everything once, and nests no deeper than a body may; undefined for any other.
 * Two readers of a token who take different ones of a repeated claim see different callers (RFC 7519, section 4;
 * RFC 8725, section 2.4), and a byte order mark is skipped by one of them and not by the other (RFC 8259, section 8.1).
 */
export function parseUnambiguousJson(part: string): unknown {
  const bytes = Buffer.from(part, 'base64url');
  const text = bytes.toString();
  try {
    const value = parseJsonBody(bytes);
    const isUnambiguous = !text.startsWith('\uFEFF') && countMembers(value) === countMembersInText(text);
    return isUnambiguous ? value : undefined;
  } catch (error) {
    if (error instanceof InvalidRequestError) return undefined;
    throw error;
  }
}

function countMembersInText(text: string): number {
  return [...text.matchAll(STRINGS)].filter(([, colon]) => colon !== undefined).length;
}

/** Of members with one name, parsing leaves one. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((count: number, part) => count + countMembers(part), own);
}
