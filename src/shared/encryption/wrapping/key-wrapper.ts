import type { KeyOwner } from '../key-owner.js';

/**
 * An encrypted data key in its stored form: `1 <ring key> <base64>` if a key of `ENCRYPTION_KEYS` has encrypted it,
 * `2 <transit key> vault:v<version>:<base64>` if Vault has.
 */
export type WrappedKey = `${1 | 2} ${string}`;

/** A data key, and the record that it belongs to. */
export type OwnedKey = { readonly owner: KeyOwner; readonly dataKey: Buffer };
export type OwnedWrappedKey = { readonly owner: KeyOwner; readonly wrapped: WrappedKey };

/** A wrapped key cannot be unwrapped: its key is missing, or it was changed or belongs to another owner. */
export class UnusableKeyError extends Error {}

/** Keys cannot be wrapped or unwrapped now, but probably later. The code is written to the log. */
export class WrappingUnavailableError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** A data key, or why there is none. */
export type UnwrappedKey = Buffer | UnusableKeyError | WrappingUnavailableError;

/**
 * Encrypts data keys with keys that the service keeps apart from them (key wrapping): with the key ring, or with a key
 * that never leaves Vault.
 */
export abstract class KeyWrapper {
  /** Encrypts data keys, each bound to its owner. @throws WrappingUnavailableError */
  abstract wrap(keys: readonly OwnedKey[]): Promise<WrappedKey[]>;

  /** Decrypts data keys. Returns for each the key, or why there is none. Does not reject. */
  abstract unwrap(keys: readonly OwnedWrappedKey[]): Promise<UnwrappedKey[]>;

  /** Whether a wrapped key has the form that this wrapper makes. */
  abstract recognises(wrapped: WrappedKey): boolean;

  /** Returns the start of all keys that are wrapped now, which a rotation skips. @throws WrappingUnavailableError */
  abstract readCurrentPrefix(): Promise<string>;

  /** The server that wraps the keys. Undefined if the service wraps them itself. */
  get server(): WrappingServer | undefined {
    return undefined;
  }

  /** Does what is due at intervals, such as the renewal of a token. @throws WrappingUnavailableError */
  async maintain(): Promise<void> {
    // The key ring needs nothing.
  }
}

/** State of a server that wraps keys. */
export type WrappingServer = {
  /** Why the last call has failed. Undefined if it has succeeded. */
  readonly fault: string | undefined;
  /** When the token expires, in seconds since 1970. Undefined if it does not, or if this is unknown yet. */
  readonly tokenExpiry: number | undefined;
  /** Renewals of the token that were tried. */
  readonly renewals: Readonly<Record<'success' | 'failure', number>>;
};
