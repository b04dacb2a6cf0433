import { InvalidRequestError } from '../../shared/errors/index.js';
import { parseJsonBody } from '../../shared/validation/index.js';

/** Matches each string in a JSON text. The capture group is set only for member names. */
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Parses base64url-encoded JSON. Returns undefined if the JSON is malformed, is nested too deeply, repeats a member or
 * starts with a byte order mark. Parsers disagree about which repeated member counts, so the same token could name
 * different callers (RFC 7519, section 4; RFC 8725, section 2.4). They also disagree on whether to accept a byte order
 * mark (RFC 8259, section 8.1).
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

/**
 * Counts the members of a parsed value. Parsing keeps only one of several members with the same name, so the count
 * differs from that of the text if a name is repeated.
 */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((count: number, part) => count + countMembers(part), own);
}
