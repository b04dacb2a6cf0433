import { LRUCache } from 'lru-cache';
import { createSecretKey, type KeyObject } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { ConflictError, KeysUnavailableError } from '../errors/index.js';
import { toOwnerKey, type KeyOwner } from './key-owner.js';
import { UnusableKeyError, type KeyRing } from './key-ring.js';
import type { KeyStore, StoredKey } from './key-store.js';

/** Maximum number of cached data keys; each takes about 400 bytes. */
const MAX_CACHED_KEYS = 100_000;
/** The maximum age of a cached key. By then, all instances have noticed that a key was destroyed. */
export const MAX_CACHE_AGE_MS = 5 * 60_000;
/** How long a cache entry for an owner without a usable key is kept. */
const MISSING_AGE_MS = 10_000;
/** Maximum number of keys that are read or created at the same time. */
const CONCURRENCY = 32;

/** The keys of several owners, by `toOwnerKey`. Owners without a usable key are not included. */
export type LoadedKeys = ReadonlyMap<string, KeyObject>;

/** The key of an owner, or the reason why there is no usable key. */
type CachedKey = KeyObject | 'ABSENT' | 'DESTROYED' | 'UNUSABLE';

/** Loads, creates and destroys data keys. Unwrapped keys are cached in memory for a limited time. */
export class DataKeys {
  private readonly cache = new LRUCache<string, CachedKey>({ max: MAX_CACHED_KEYS, ttl: MAX_CACHE_AGE_MS });
  private readonly logger = new Logger('Encryption');

  constructor(
    private readonly ring: KeyRing,
    private readonly store: KeyStore,
  ) {}

  /** Returns the ID of the key store. */
  readStoreId(): Promise<string> {
    return this.store.readId();
  }

  /**
   * Loads the keys of those owners that have a usable key.
   *
   * @throws KeysUnavailableError if the store cannot be read
   */
  async load(owners: Iterable<KeyOwner>): Promise<LoadedKeys> {
    const found = new Map<string, KeyObject>();
    const missing: [string, KeyOwner][] = [];
    for (const owner of owners) {
      const name = toOwnerKey(owner);
      const cached = this.cache.get(name);
      if (cached === undefined) missing.push([name, owner]);
      else if (typeof cached !== 'string') found.set(name, cached);
    }
    await forEachConcurrently(missing, async ([name, owner]) => {
      const key = await this.read(owner);
      if (typeof key !== 'string') found.set(name, key);
    });
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
    await forEachConcurrently(
      owners.filter((owner) => !found.has(toOwnerKey(owner))),
      async (owner) => {
        await this.create(owner);
        this.cache.delete(toOwnerKey(owner));
        const key = await this.read(owner);
        if (key === 'DESTROYED' && ignoreDestroyed) return;
        if (key === 'DESTROYED') throw new ConflictError('The data of this record has been erased.');
        if (typeof key === 'string') throw new KeysUnavailableError();
        found.set(toOwnerKey(owner), key);
      },
    );
    return found;
  }

  /**
   * Creates the key of a new record.
   *
   * @returns false if a record with this ID has or had a key. A database that was restored from a backup assigns IDs
   *   again, and two records must not share a key.
   */
  async create(owner: KeyOwner): Promise<boolean> {
    const dataKey = this.ring.createDataKey();
    const isNew = await this.reach(() => this.store.create(owner, this.ring.wrap(owner, dataKey)));
    if (isNew) this.cache.set(toOwnerKey(owner), createSecretKey(dataKey));
    dataKey.fill(0);
    return isNew;
  }

  /** Creates the keys of new records. @returns for each, whether it was created */
  async createAll(owners: readonly KeyOwner[]): Promise<boolean[]> {
    const created: boolean[] = [];
    await forEachConcurrently([...owners.entries()], async ([index, owner]) => {
      created[index] = await this.create(owner);
    });
    return created;
  }

  /**
   * Destroys the keys of records, which makes their names, addresses and texts unreadable in the database and in all of
   * its backups. Other instances forget a key within `MAX_CACHE_AGE_MS`. Idempotent.
   */
  async destroy(owners: readonly KeyOwner[]): Promise<void> {
    await forEachConcurrently(owners, async (owner) => {
      await this.reach(() => this.store.destroy(owner));
      this.cache.set(toOwnerKey(owner), 'DESTROYED');
    });
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

  /** Wraps each key in the store again that is not wrapped with the active key of the ring. */
  async rotate(report: (progress: RotationProgress) => void = () => undefined): Promise<RotationProgress> {
    const progress: RotationProgress = { done: 0, rewrapped: 0, failed: 0 };
    for await (const batch of toBatches(this.store.list(), CONCURRENCY)) {
      await forEachConcurrently(batch, async (owner) => {
        progress[await this.rewrap(owner)] += 1;
      });
      report(progress);
    }
    return progress;
  }

  private async rewrap(owner: KeyOwner): Promise<keyof RotationProgress> {
    const wrapped = await this.store.read(owner);
    if (wrapped === 'ABSENT' || wrapped === 'DESTROYED' || this.ring.isCurrent(wrapped)) return 'done';
    try {
      await this.store.replace(owner, this.ring.wrap(owner, this.ring.unwrap(owner, wrapped)));
      return 'rewrapped';
    } catch (error) {
      if (!(error instanceof UnusableKeyError)) throw error;
      this.logger.error({ owner: toOwnerKey(owner), reason: error.message }, 'data key cannot be rotated');
      return 'failed';
    }
  }

  private async read(owner: KeyOwner): Promise<CachedKey> {
    const key = this.unwrap(owner, await this.reach(() => this.store.read(owner)));
    this.cache.set(toOwnerKey(owner), key, typeof key === 'string' ? { ttl: MISSING_AGE_MS } : undefined);
    return key;
  }

  /** @throws KeysUnavailableError if the store cannot be used now */
  private async reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.logger.error({ code: (error as NodeJS.ErrnoException).code }, 'the key store cannot be used');
      throw new KeysUnavailableError();
    }
  }

  private unwrap(owner: KeyOwner, stored: StoredKey): CachedKey {
    if (stored === 'ABSENT' || stored === 'DESTROYED') return stored;
    try {
      return createSecretKey(this.ring.unwrap(owner, stored));
    } catch (error) {
      if (!(error instanceof UnusableKeyError)) throw error;
      this.logger.error({ owner: toOwnerKey(owner), reason: error.message }, 'data key cannot be used');
      return 'UNUSABLE';
    }
  }
}

/** Progress of a rotation: the numbers of keys that were up to date (`done`), wrapped again, and not unwrappable. */
export type RotationProgress = { done: number; rewrapped: number; failed: number };

async function* toBatches<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function forEachConcurrently<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, run));
}
