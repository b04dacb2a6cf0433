import { hash } from 'node:crypto';
import { INSTALLATION_KEY_OWNER, toOwnerKey } from '../../encryption/index.js';
import { computeTextDigest } from '../../encryption/text-cipher.js';
import type { FieldEncryption } from './field-encryption.js';

/**
 * Creates a function that computes digests of texts that belong to no record, such as network addresses. They are keyed,
 * because a plain hash of a text with few possible values can be reversed by trying all of them. Without encryption,
 * there is no key, and the digest is SHA-256.
 *
 * @param purpose texts with different purposes have different digests
 * @throws KeysUnavailableError if the key of the installation cannot be read at the moment
 */
export async function createInstallationDigest(
  { keys, encrypts }: FieldEncryption,
  purpose: string,
): Promise<(text: string) => string> {
  if (keys === undefined || !encrypts) return (text) => hash('sha256', text, 'base64url');
  const key = (await keys.loadOrCreate([INSTALLATION_KEY_OWNER])).get(toOwnerKey(INSTALLATION_KEY_OWNER))!;
  return (text) => computeTextDigest(key, text, purpose);
}
