import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/**
 * The shared secrets for HS256: the current one and, during a replacement, the previous one. The service's tokens have
 * no key ID, so the secret that signed a token is found by checking the signature.
 */
export class SharedSecrets {
  private readonly current: KeyObject;
  private readonly previous: KeyObject | undefined;

  constructor(current: string, previous: string | undefined) {
    this.current = createSecretKey(Buffer.from(current));
    this.previous = previous === undefined ? undefined : createSecretKey(Buffer.from(previous));
  }

  /** If neither key has signed the token, returns the current key, with which the verification then fails. */
  findKey(token: string): KeyObject {
    const { previous } = this;
    return previous !== undefined && isSignedBy(previous, token) ? previous : this.current;
  }
}

/** @param token three base64url parts (RFC 7515, section 7.1) */
function isSignedBy(key: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.');
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  const expected = createHmac('sha256', key).update(token.slice(0, end)).digest();
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}
