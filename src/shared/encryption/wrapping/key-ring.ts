import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { DATA_KEY_BYTES, toOwnerKey, type KeyOwner } from '../key-owner.js';
import {
  KeyWrapper,
  UnusableKeyError,
  type OwnedKey,
  type OwnedWrappedKey,
  type UnwrappedKey,
  type WrappedKey,
} from './key-wrapper.js';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const FORM = '1';

/** A named key of the ring, in base64. */
export type RingKey = { name: string; key: string };

/**
 * The keys of `ENCRYPTION_KEYS`. The first one is active: new data keys are wrapped with it. The others can still unwrap
 * what was wrapped with them, until `npm run rotate-keys` has wrapped all data keys again.
 */
export class KeyRing extends KeyWrapper {
  private readonly keys: ReadonlyMap<string, KeyObject>;
  readonly activeName: string;

  constructor(ring: readonly [RingKey, ...RingKey[]]) {
    super();
    this.activeName = ring[0].name;
    this.keys = new Map(ring.map(({ name, key }) => [name, createSecretKey(Buffer.from(key, 'base64'))]));
  }

  override async wrap(keys: readonly OwnedKey[]): Promise<WrappedKey[]> {
    return keys.map(({ owner, dataKey }) => this.wrapKey(owner, dataKey));
  }

  override async unwrap(keys: readonly OwnedWrappedKey[]): Promise<UnwrappedKey[]> {
    return keys.map(({ owner, wrapped }) => this.unwrapKey(owner, wrapped));
  }

  override recognises(wrapped: WrappedKey): boolean {
    return wrapped.startsWith(`${FORM} `);
  }

  override async readCurrentPrefix(): Promise<string> {
    return `${FORM} ${this.activeName} `;
  }

  private wrapKey(owner: KeyOwner, dataKey: Buffer): WrappedKey {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.keys.get(this.activeName)!, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(toAssociatedData(this.activeName, owner));
    const encrypted = Buffer.concat([iv, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]);
    return `${FORM} ${this.activeName} ${encrypted.toString('base64')}`;
  }

  private unwrapKey(owner: KeyOwner, wrapped: WrappedKey): UnwrappedKey {
    const [version, name, text, ...rest] = wrapped.trim().split(' ');
    if (version !== FORM || name === undefined || text === undefined || rest.length > 0)
      return new UnusableKeyError(`The data key of ${toOwnerKey(owner)} has an unknown form`);
    const key = this.keys.get(name);
    if (key === undefined) return new UnusableKeyError(`ENCRYPTION_KEYS has no key with the name ${name}`);
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length !== IV_BYTES + DATA_KEY_BYTES + TAG_BYTES)
      return new UnusableKeyError(`The data key of ${toOwnerKey(owner)} has a wrong length`);
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(toAssociatedData(name, owner));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      return new UnusableKeyError(`The data key of ${toOwnerKey(owner)} was changed, or belongs to another record`);
    }
  }
}

function toAssociatedData(name: string, owner: KeyOwner): Buffer {
  return Buffer.from(`data key of ${toOwnerKey(owner)} wrapped with ${name}`);
}
