import type { KeyOwner } from '../key-owner.js';

/**
 * An encrypted data key in its stored form: `1 <ring key> <base64>` if a key of `ENCRYPTION_KEYS` has encrypted it,
 * `2 <transit key> vault:v<version>:<base64>` if Vault has.
 */
export type WrappedKey = `${1 | 2} ${string}`;

/** A data key, and the record that it belongs to. */
export type OwnedKey = { readonly owner: KeyOwner; readonly dataKey: Buffer };
export type OwnedWrappedKey = { readonly owner: KeyOwner; readonly wrapped: WrappedKey };

/**
 * A wrapped key cannot be unwrapped: the key that wrapped it is missing, or it was changed or belongs to another owner.
 */
export class UnusableKeyError extends Error {}

/** Keys cannot be wrapped or unwrapped at the moment, but probably later. The code is written to the log. */
export class WrappingUnavailableError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** A data key, or the reason why it could not be unwrapped. */
export type UnwrappedKey = Buffer | UnusableKeyError | WrappingUnavailableError;

/**
 * Encrypts data keys (key wrapping) with keys that are kept apart from them: with the key ring, or with a key that
 * never leaves Vault.
 */
export abstract class KeyWrapper {
  /**
   * Encrypts data keys and binds each to its owner.
   *
   * @throws WrappingUnavailableError
   */
  abstract wrap(keys: readonly OwnedKey[]): Promise<WrappedKey[]>;

  /** Decrypts data keys. Never rejects: returns an error in place of each key that cannot be decrypted. */
  abstract unwrap(keys: readonly OwnedWrappedKey[]): Promise<UnwrappedKey[]>;

  /** Whether a wrapped key has the form that this wrapper creates. */
  abstract recognises(wrapped: WrappedKey): boolean;

  /**
   * Returns the prefix of all keys that are wrapped in the current way. A rotation skips these keys.
   *
   * @throws WrappingUnavailableError
   */
  abstract readCurrentPrefix(): Promise<string>;

  /** The server that wraps the keys; undefined if the service wraps them itself. */
  get server(): WrappingServerState | undefined {
    return undefined;
  }

  /**
   * Performs periodic work, such as the renewal of a token.
   *
   * @throws WrappingUnavailableError
   */
  async maintain(): Promise<void> {
    // The key ring needs no periodic work.
  }
}

/** The state of the server that wraps keys, for metrics and health checks. */
export type WrappingServerState = {
  /** Why the last call failed; undefined if it succeeded. */
  readonly fault: string | undefined;
  /** When the token expires, in seconds since 1970; undefined if it does not expire or the time is not known yet. */
  readonly tokenExpiry: number | undefined;
  /** How many token renewals have succeeded and failed. */
  readonly renewals: Readonly<Record<'success' | 'failure', number>>;
};
