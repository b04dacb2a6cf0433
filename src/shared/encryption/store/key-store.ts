import { Logger } from '@nestjs/common';
import { toOwnerKey, type KeyOwner } from '../key-owner.js';
import type { OwnedWrappedKey, WrappedKey } from '../wrapping/key-wrapper.js';

/** The stored state for an owner: a wrapped key, no key yet, or a mark that the key was destroyed. */
export type StoredKey = WrappedKey | 'ABSENT' | 'DESTROYED';

/** As `StoredKey`, or `UNUSABLE` if only the file of this key cannot be read. */
type ReadableKey = StoredKey | 'UNUSABLE';

export function isWrapped(stored: ReadableKey): stored is WrappedKey {
  return stored !== 'ABSENT' && stored !== 'DESTROYED' && stored !== 'UNUSABLE';
}

/** Errors of a file that do not end by themselves: it has a wrong owner or mode, or is a directory. */
const FILE_FAULTS: readonly string[] = ['EACCES', 'EPERM', 'EISDIR'];
/** Number of other keys that are read to find out whether the store itself can be read. */
const MAX_PROBES = 5;

/**
 * Where wrapped data keys are kept: outside the database, its backups and its log, so that destroying a key also makes
 * the data in every older backup of the database unreadable. Several instances share one store.
 */
export abstract class KeyStore {
  /** Identifies the store, so that a database is not used with the keys of another database. Creates a new store. */
  abstract readId(): Promise<string>;

  /** The ID of the store; undefined if there is none yet. Creates nothing. */
  abstract findId(): Promise<string | undefined>;

  abstract read(owner: KeyOwner): Promise<StoredKey>;

  /** Reads the keys of several owners, in their order. */
  abstract readAll(owners: readonly KeyOwner[]): Promise<StoredKey[]>;

  /**
   * Reads the keys of several owners, in their order. A file that cannot be read, such as one that was restored with a wrong
   * owner, does not prevent the work for all other owners: only its key is unusable.
   *
   * @throws the error of the store if no other key can be read either
   */
  async readUsable(owners: readonly KeyOwner[]): Promise<ReadableKey[]> {
    try {
      return await this.readAll(owners);
    } catch (error) {
      const results = await Promise.allSettled(owners.map((owner) => this.read(owner)));
      const faults = results.map((result) => (result.status === 'rejected' ? toCode(result.reason) : undefined));
      const isStoreFault = faults.some((code) => code !== undefined && !FILE_FAULTS.includes(code));
      const isReadable = results.some((result) => result.status === 'fulfilled' && isWrapped(result.value));
      if (isStoreFault || !(isReadable || (await this.canReadOthers(owners)))) throw error;
      return results.map((result, index) => {
        if (result.status === 'fulfilled') return result.value;
        new Logger('Encryption').error(
          { owner: toOwnerKey(owners[index]!), code: faults[index] },
          'data key cannot be read',
        );
        return 'UNUSABLE';
      });
    }
  }

  private async canReadOthers(owners: readonly KeyOwner[]): Promise<boolean> {
    const excluded = new Set(owners.map(toOwnerKey));
    let probes = 0;
    for await (const owner of this.list()) {
      if (excluded.has(toOwnerKey(owner))) continue;
      if (await this.read(owner).then(isWrapped, () => false)) return true;
      probes += 1;
      if (probes === MAX_PROBES) return false;
    }
    return false;
  }

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

/** Returns the code of an error, or a text that stands for an error without a code. */
function toCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
}
