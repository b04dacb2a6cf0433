import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { toOwnerKey, type KeyOwner } from './key-owner.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A named key of the ring, in base64. */
export type RingKey = { name: string; key: string };

/** A data key that is encrypted with a key of the ring, in its stored form. */
export type WrappedKey = `1 ${string}`;

/** A wrapped key cannot be unwrapped: the ring lacks the key, or the text was changed or belongs to another owner. */
export class UnusableKeyError extends Error {}

/**
 * The keys that encrypt data keys. The first key is active: new data keys are wrapped with it. The other keys can still
 * unwrap older data keys, until `npm run rotate-keys` has wrapped all data keys with the active key.
 */
export class KeyRing {
  private readonly keys: ReadonlyMap<string, KeyObject>;
  readonly activeName: string;

  constructor(ring: readonly [RingKey, ...RingKey[]]) {
    this.activeName = ring[0].name;
    this.keys = new Map(ring.map(({ name, key }) => [name, createSecretKey(Buffer.from(key, 'base64'))]));
  }

  createDataKey(): Buffer {
    return randomBytes(KEY_BYTES);
  }

  wrap(owner: KeyOwner, dataKey: Buffer): WrappedKey {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.keys.get(this.activeName)!, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(toAssociatedData(this.activeName, owner));
    const encrypted = Buffer.concat([iv, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]);
    return `1 ${this.activeName} ${encrypted.toString('base64')}`;
  }

  /** @throws UnusableKeyError if the ring lacks the key, or if the text is not the owner's wrapped key */
  unwrap(owner: KeyOwner, wrapped: WrappedKey): Buffer {
    const [version, name, text, ...rest] = wrapped.trim().split(' ');
    if (version !== '1' || name === undefined || text === undefined || rest.length > 0)
      throw new UnusableKeyError(`The data key of ${toOwnerKey(owner)} has an unknown form`);
    const key = this.keys.get(name);
    if (key === undefined) throw new UnusableKeyError(`ENCRYPTION_KEYS has no key with the name ${name}`);
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length !== IV_BYTES + KEY_BYTES + TAG_BYTES)
      throw new UnusableKeyError(`The data key of ${toOwnerKey(owner)} has a wrong length`);
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(toAssociatedData(name, owner));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw new UnusableKeyError(`The data key of ${toOwnerKey(owner)} was changed, or belongs to another record`);
    }
  }

  /** Whether the data key was wrapped with the active key. */
  isCurrent(wrapped: WrappedKey): boolean {
    return wrapped.startsWith(`1 ${this.activeName} `);
  }
}

function toAssociatedData(name: string, owner: KeyOwner): Buffer {
  return Buffer.from(`data key of ${toOwnerKey(owner)} wrapped with ${name}`);
}
