import type { KeyOwner } from '../key-owner.js';
import type { OwnedWrappedKey, WrappedKey } from '../wrapping/key-wrapper.js';

/** The stored state for an owner: a wrapped key, no key yet, or a mark that the key was destroyed. */
export type StoredKey = WrappedKey | 'ABSENT' | 'DESTROYED';

export function isWrapped(stored: StoredKey): stored is WrappedKey {
  return stored !== 'ABSENT' && stored !== 'DESTROYED';
}

/**
 * Where wrapped data keys are kept: outside the database, its backups and its log, so that destroying a key also makes
 * the data in every older backup of the database unreadable. Several instances share one store.
 */
export abstract class KeyStore {
  /** Identifies the store, so that a database is not used with the keys of another database. */
  abstract readId(): Promise<string>;

  abstract read(owner: KeyOwner): Promise<StoredKey>;

  /** Reads the keys of several owners, in their order. */
  abstract readAll(owners: readonly KeyOwner[]): Promise<StoredKey[]>;

  /**
   * Stores the first keys of owners durably. Of several concurrent calls for one owner, one succeeds.
   *
   * @returns for each, false if the owner has a key already, or had one that was destroyed
   */
  abstract createAll(keys: readonly OwnedWrappedKey[]): Promise<boolean[]>;

  /** Replaces the key of an owner atomically and durably, unless it was destroyed. */
  abstract replace(owner: KeyOwner, wrapped: WrappedKey): Promise<void>;

  /** Destroys the keys of owners permanently. No key can be stored for these owners again. Idempotent. */
  abstract destroyAll(owners: readonly KeyOwner[]): Promise<void>;

  /** Lists the owners of all keys that are not destroyed. Keys that are stored in the meantime may be missing. */
  abstract list(): AsyncIterable<KeyOwner>;

  /** Completes operations that were interrupted, for example by a power failure. Must be called before keys are used. */
  abstract recover(): Promise<void>;

  /** Performs periodic work, such as flushing new keys to disk. */
  abstract maintain(): Promise<void>;
}
