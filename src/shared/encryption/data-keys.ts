import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { splitIntoBatches } from '../batches.js';
import { ConflictError, KeysUnavailableError } from '../errors/index.js';
import { DATA_KEY_BYTES, toOwnerKey, type KeyOwner } from './key-owner.js';
import { rotateKeys, type RotationProgress } from './key-rotation.js';
import { isWrapped, type KeyStore } from './store/key-store.js';
import {
  UnusableKeyError,
  type KeyWrapper,
  type OwnedKey,
  type UnwrappedKey,
  type WrappingServerState,
} from './wrapping/key-wrapper.js';

/** Maximum number of cached data keys; each takes about 600 bytes with its timer. */
const MAX_CACHED_KEYS = 100_000;
/** The maximum age of a cached key. By then, all instances have noticed that a key was destroyed. */
const MAX_KEY_CACHE_AGE_MS = 5 * 60_000;
/** How long a cache entry for an owner without a usable key is kept. */
const MISSING_AGE_MS = 10_000;
/** Maximum number of keys that are unwrapped or created at once. */
export const KEY_BATCH_SIZE = 500;
const LOG_INTERVAL_MS = 60_000;

/** The keys of several owners, keyed by `toOwnerKey(owner)`. Owners without a usable key are omitted. */
export type LoadedKeys = ReadonlyMap<string, KeyObject>;

/** The key of an owner, or the reason why there is no usable key. */
type CachedKey = KeyObject | 'ABSENT' | 'DESTROYED' | 'UNUSABLE';

/** Loads, creates and destroys data keys. Unwrapped keys are cached in memory for a limited time. */
export class DataKeys {
  /** A key is also removed if it is not used any more. */
  private readonly cache = new LRUCache<string, CachedKey>({
    ...{ max: MAX_CACHED_KEYS, ttl: MAX_KEY_CACHE_AGE_MS, ttlAutopurge: true },
  });
  private readonly logger = new Logger('Encryption');
  private loggedAt = Number.NEGATIVE_INFINITY;
  /** Batches keys that are requested at the same moment, so that they are unwrapped together and each only once. */
  private readonly loader = new DataLoader<KeyOwner, CachedKey, string>((owners) => this.readBatch(owners), {
    maxBatchSize: KEY_BATCH_SIZE,
    cacheKeyFn: toOwnerKey,
  });

  constructor(
    private readonly wrapper: KeyWrapper,
    private readonly store: KeyStore,
  ) {}

  /** Returns the ID of the key store, which is created if there is none. */
  readStoreId(): Promise<string> {
    return this.store.readId();
  }

  /** Returns the ID of the key store, or undefined if there is none. Creates nothing. */
  findStoreId(): Promise<string | undefined> {
    return this.store.findId();
  }

  /** The server that wraps the keys; undefined if the service wraps them itself. */
  get server(): WrappingServerState | undefined {
    return this.wrapper.server;
  }

  /** Completes interrupted operations of the key store. Must be called before keys are used. */
  recover(): Promise<void> {
    return this.reach(() => this.store.recover());
  }

  /** Performs periodic work: flushes new keys of the store to disk, and renews the token of Vault. */
  async maintain(): Promise<void> {
    await this.reach(() => this.store.maintain());
    await this.wrapper.maintain();
  }

  /**
   * Loads the keys of those owners that have a usable key.
   *
   * @throws KeysUnavailableError if a key cannot be read or unwrapped at the moment
   */
  async load(owners: Iterable<KeyOwner>): Promise<LoadedKeys> {
    const found = new Map<string, KeyObject>();
    const missing: KeyOwner[] = [];
    for (const owner of owners) {
      const name = toOwnerKey(owner);
      const cached = this.cache.get(name);
      if (cached === undefined) missing.push(owner);
      else if (typeof cached !== 'string') found.set(name, cached);
    }
    await Promise.all(
      missing.map(async (owner) => {
        const key = await this.read(owner);
        if (typeof key !== 'string') found.set(toOwnerKey(owner), key);
      }),
    );
    return found;
  }

  /**
   * Loads the keys of different owners. Creates a key for each owner without one, such as a record from an earlier
   * release.
   *
   * @param options.ignoreDestroyed whether owners whose key was destroyed are left out
   * @throws ConflictError if the key of an owner was destroyed
   * @throws KeysUnavailableError if a key cannot be stored, read or unwrapped
   */
  async loadOrCreate(
    owners: readonly KeyOwner[],
    { ignoreDestroyed = false }: { ignoreDestroyed?: boolean } = {},
  ): Promise<LoadedKeys> {
    const loaded = await this.load(owners);
    if (loaded.size === owners.length) return loaded;
    const found = new Map(loaded);
    const missing = owners.filter((owner) => !found.has(toOwnerKey(owner)));
    await this.createAll(missing);
    for (const owner of missing) this.forget(owner);
    await Promise.all(
      missing.map(async (owner) => {
        const key = await this.read(owner);
        if (key === 'DESTROYED' && ignoreDestroyed) return;
        if (key === 'DESTROYED') throw new ConflictError('The data of this record has been erased.');
        if (typeof key === 'string') throw new KeysUnavailableError();
        found.set(toOwnerKey(owner), key);
      }),
    );
    return found;
  }

  /**
   * Creates the keys of new records.
   *
   * @returns for each, whether it was created: false if a record with this ID has or had a key. A database that was
   *   restored from a backup assigns IDs again, and two records must not share a key.
   */
  async createAll(owners: readonly KeyOwner[]): Promise<boolean[]> {
    const created: boolean[] = [];
    for (const batch of splitIntoBatches(owners, KEY_BATCH_SIZE)) created.push(...(await this.createBatch(batch)));
    return created;
  }

  /**
   * Returns the unwrapped keys of owners, in the same order. Used only to move a Clinic to another installation.
   *
   * @throws KeysUnavailableError if a key cannot be read or unwrapped
   */
  reveal(owners: readonly KeyOwner[]): Promise<(Buffer | 'ABSENT' | 'DESTROYED')[]> {
    return Promise.all(
      owners.map(async (owner) => {
        const key = await this.read(owner);
        if (key === 'UNUSABLE') throw new KeysUnavailableError();
        return typeof key === 'string' ? key : key.export();
      }),
    );
  }

  /**
   * Stores keys that come from another installation, up to `KEY_BATCH_SIZE` at once. Idempotent.
   *
   * @returns for each, whether the owner has this key; false if it has or had another one
   */
  async adopt(keys: readonly OwnedKey[]): Promise<boolean[]> {
    await this.storeNew(keys);
    for (const { owner } of keys) this.forget(owner);
    const stored = await this.reveal(keys.map(({ owner }) => owner));
    return stored.map((key, index) => key instanceof Buffer && key.equals(keys[index]!.dataKey));
  }

  /**
   * Destroys the keys of records, which makes their names, addresses and texts unreadable in the database and in all of
   * its backups. Other instances forget a key within `MAX_KEY_CACHE_AGE_MS`. Idempotent.
   */
  async destroy(owners: readonly KeyOwner[]): Promise<void> {
    for (const batch of splitIntoBatches(owners, KEY_BATCH_SIZE)) {
      await this.reach(() => this.store.destroyAll(batch));
      for (const owner of batch) this.cache.set(toOwnerKey(owner), 'DESTROYED');
    }
  }

  /** Whether the key of an owner was destroyed. Uses the cache, so the key must have been loaded just before. */
  isDestroyed(owner: KeyOwner): boolean {
    return this.cache.get(toOwnerKey(owner)) === 'DESTROYED';
  }

  /** Returns the number of keys in the store. */
  async count(): Promise<number> {
    let count = 0;
    for await (const _ of this.store.list()) count += 1;
    return count;
  }

  /**
   * Wraps all keys of the store again that are not wrapped in the current way.
   *
   * @throws WrappingUnavailableError
   */
  async rotate(report: (progress: RotationProgress) => void = () => undefined): Promise<RotationProgress> {
    await this.recover();
    return rotateKeys(this.wrapper, this.store, report);
  }

  private async read(owner: KeyOwner): Promise<CachedKey> {
    try {
      return await this.loader.load(owner);
    } finally {
      this.loader.clear(owner);
    }
  }

  private forget(owner: KeyOwner): void {
    const name = toOwnerKey(owner);
    if (this.cache.get(name) !== 'DESTROYED') this.cache.delete(name);
  }

  private async readBatch(owners: readonly KeyOwner[]): Promise<(CachedKey | Error)[]> {
    const stored = await this.reach(() => this.store.readUsable(owners));
    const wrapped = owners.flatMap((owner, index) => {
      const key = stored[index]!;
      return isWrapped(key) ? [{ owner, wrapped: key, index }] : [];
    });
    const unwrapped = wrapped.length === 0 ? [] : await this.wrapper.unwrap(wrapped);
    const keys: (CachedKey | Error)[] = stored.map((key) => (isWrapped(key) ? 'UNUSABLE' : key));
    for (const [position, { owner, index }] of wrapped.entries()) keys[index] = this.toKey(owner, unwrapped[position]!);
    return keys.map((key, index) => (key instanceof Error ? key : this.remember(owners[index]!, key)));
  }

  /** Caches a key unless it was destroyed after it was read, because a destroyed key must not be usable again. */
  private remember(owner: KeyOwner, key: CachedKey): CachedKey {
    const name = toOwnerKey(owner);
    if (this.cache.get(name) === 'DESTROYED') return 'DESTROYED';
    const isMissing = typeof key === 'string' && key !== 'DESTROYED';
    this.cache.set(name, key, isMissing ? { ttl: MISSING_AGE_MS } : undefined);
    return key;
  }

  private async createBatch(owners: readonly KeyOwner[]): Promise<boolean[]> {
    const keys = owners.map((owner) => ({ owner, dataKey: randomBytes(DATA_KEY_BYTES) }));
    const created = await this.storeNew(keys);
    return keys.map(({ owner, dataKey }, index) => {
      const isNew = created[index]! && this.remember(owner, createSecretKey(dataKey)) !== 'DESTROYED';
      dataKey.fill(0);
      return isNew;
    });
  }

  private storeNew(keys: readonly OwnedKey[]): Promise<boolean[]> {
    return this.reach(async () => {
      const wrapped = await this.wrapper.wrap(keys);
      return this.store.createAll(keys.map(({ owner }, index) => ({ owner, wrapped: wrapped[index]! })));
    });
  }

  /** @throws KeysUnavailableError if the store, or the server that wraps keys, cannot be used at the moment */
  private async reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.toUnavailable(error);
    }
  }

  private toUnavailable(error: unknown): KeysUnavailableError {
    const now = performance.now();
    // Without this limit, each request would log an error during an outage.
    if (now - this.loggedAt >= LOG_INTERVAL_MS) {
      this.loggedAt = now;
      const { code } = error as NodeJS.ErrnoException;
      this.logger.error({ code, reason: this.server?.fault }, 'data keys cannot be used now');
    }
    return new KeysUnavailableError();
  }

  private toKey(owner: KeyOwner, unwrapped: UnwrappedKey): CachedKey | Error {
    if (Buffer.isBuffer(unwrapped)) {
      const key = createSecretKey(unwrapped);
      unwrapped.fill(0);
      return key;
    }
    if (!(unwrapped instanceof UnusableKeyError)) return this.toUnavailable(unwrapped);
    this.logger.error({ owner: toOwnerKey(owner), reason: unwrapped.message }, 'data key cannot be used');
    return 'UNUSABLE';
  }
}
