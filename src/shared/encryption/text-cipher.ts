import { createCipheriv, createDecipheriv, createHmac, randomFillSync, type KeyObject } from 'node:crypto';
import { fromKindCode, toKindCode, type KeyOwnerKind } from './key-owner.js';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The control character with which encrypted texts begin. A plain text that begins with it gets a second one in the
 * database, so that no text of a caller can be taken for an encrypted one.
 */
const MARK = '\u0001';
const MARK_CODE = 1;
/** The version of the format: the mark, this digit, the kind of the owner, and the IV, ciphertext and tag in base64. */
const VERSION = '1';
const HEADER_LENGTH = 3;

/** Returns a plain text in the form in which it is stored. */
export function escapeEncryptionMark(text: string): string {
  return text.charCodeAt(0) === MARK_CODE ? MARK + text : text;
}

/** Inverse of `escapeEncryptionMark`. Rows of earlier releases can contain texts that begin with one mark. */
export function unescapeEncryptionMark(stored: string): string {
  return stored.charCodeAt(0) === MARK_CODE && stored.charCodeAt(1) === MARK_CODE ? stored.slice(1) : stored;
}

export function isEncryptedText(stored: string): boolean {
  return stored.charCodeAt(0) === MARK_CODE && stored[1] === VERSION;
}

/** The start of all encrypted texts, for an SQL condition that finds plain texts. */
export const ENCRYPTED_TEXT_PREFIX = MARK + VERSION;

/** The kind of record whose key has encrypted a text. Undefined if the text is malformed. */
export function findKeyOwnerKind(encrypted: string): KeyOwnerKind | undefined {
  return fromKindCode(encrypted[2] ?? '');
}

/**
 * Encrypts a text with AES-256-GCM.
 *
 * @param place the table, column and row that the text belongs to. At any other place, it cannot be decrypted.
 */
export function encryptText(key: KeyObject, kind: KeyOwnerKind, text: string, place: string): string {
  const iv = nextIv();
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(place));
  const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `${MARK}${VERSION}${toKindCode(kind)}${Buffer.concat(parts).toString('base64')}`;
}

/** Decrypts a text. Returns undefined if it was changed, moved to another place, or encrypted with another key. */
export function decryptText(key: KeyObject, encrypted: string, place: string): string | undefined {
  const bytes = Buffer.from(encrypted.slice(HEADER_LENGTH), 'base64');
  // The exact length detects additions: Node's decoder ignores invalid characters and everything after the padding.
  const isExact = HEADER_LENGTH + Math.ceil(bytes.length / 3) * 4 === encrypted.length;
  if (!isExact || bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES));
    const rest = decipher.final();
    return (rest.length === 0 ? text : Buffer.concat([text, rest])).toString('utf8');
  } catch {
    return undefined;
  }
}

/**
 * Computes a keyed digest, by which equal texts can be found without decrypting them.
 *
 * @param purpose texts with different purposes have different digests
 */
export function computeTextDigest(key: KeyObject, text: string, purpose: string): string {
  const digestKey = createHmac('sha256', key).update(`digest of ${purpose}`).digest();
  return createHmac('sha256', digestKey).update(text).digest('base64url');
}

const ivPool = Buffer.alloc(IV_BYTES * 256);
let ivOffset = ivPool.length;

/** Returns a random IV. One system call fills a pool of many IVs. */
function nextIv(): Buffer {
  if (ivOffset === ivPool.length) {
    randomFillSync(ivPool);
    ivOffset = 0;
  }
  const iv = Buffer.from(ivPool.subarray(ivOffset, ivOffset + IV_BYTES));
  ivOffset += IV_BYTES;
  return iv;
}
