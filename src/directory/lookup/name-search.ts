import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { setImmediate } from 'node:timers/promises';
import { KeyedLimit } from '../../shared/http/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import {
  countItemsIfRequested,
  invalidCursorError,
  toPage,
  type CountMode,
  type Page,
} from '../../shared/validation/index.js';
import { toSearchWords } from './folded-name.js';
import { NameCursors } from './name-cursors.js';
import { NamePageSelector, type NameSearchOrder, type NameSearchPosition } from './name-page-selector.js';
import { NameReader, type NameEntryChunk, type NameEntry, type NameSearchSource } from './name-search-source.js';

/** Maximum size of the cache, for all Clinics together, and of the names of one kind that are in memory at once. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum number of cached names of one kind per Clinic. */
const MAX_NAMES = 100_000;
/** Names are dropped and read again after this time, so that erased names do not stay in memory. */
const MAX_AGE_MS = 10 * 60_000;
/** Maximum number of searches of one Clinic that read all names at the same time, because the names are not cached. */
const MAX_SCANS = 2;
/** Number of names that are read together. */
const CHUNK_SIZE = 5_000;
/** Approximate size of an entry without its name. */
const ENTRY_BYTES = 250;

type CachedNames = { byId: Map<number, NameEntry>; runningSince: number; bytes: number };
/** This value is cached in place of the names if a Clinic has more than `maxNames` names, or longer ones than fit. */
const TOO_MANY = 'TOO_MANY';

type NameSearchQuery<Details> = {
  /** The Clinics whose records are searched. Null stands for the shared catalogue. */
  clinicIds: readonly (number | null)[];
  search?: string | undefined;
  accepts: (details: Details) => boolean;
  /** IDs of the records that the caller may see. By default, these are all records of the Clinics. */
  visibleIds?: ReadonlySet<number> | undefined;
  order: NameSearchOrder;
  cursor?: string | undefined;
  limit: number;
  count?: CountMode | undefined;
};

/**
 * Searches and sorts records by name in memory, because the database cannot do it once names are encrypted (ADR 10).
 * The names of a Clinic are cached; each search first reads what other transactions have changed since.
 *
 * Requires a transaction that writes nothing, because uncommitted names must not get into the cache, and a caller whose
 * Clinic has been checked.
 */
@Injectable()
export class NameSearch {
  /** Maximum number of cached names of one kind per Clinic. The field is public so that tests can lower it. */
  maxNames = MAX_NAMES;
  /** Folding can make a name four times as long, so the number of names alone does not limit their size. */
  maxBytes = MAX_BYTES;
  private readonly cache = new LRUCache<string, CachedNames | typeof TOO_MANY>({
    maxSize: MAX_BYTES,
    sizeCalculation: (names) => (names === TOO_MANY ? 1 : names.bytes),
    ttl: MAX_AGE_MS,
    ttlAutopurge: true,
    noUpdateTTL: true,
  });
  /** Scans take many seconds and hold a connection, so a Clinic runs few of them, and further ones do not wait. */
  private readonly scans = new KeyedLimit({ active: MAX_SCANS, waiting: 0 });
  /** Loads in progress, so that concurrent searches do not all read the same names. */
  private readonly loads = new Map<string, Promise<unknown>>();

  constructor(
    private readonly em: TenantEntityManager,
    private readonly cursors: NameCursors,
  ) {}

  /**
   * Finds one page of records.
   *
   * @param findRows reads the records with these IDs, in any order
   * @throws InvalidRequestError (400) if the cursor belongs to another order, to a record that the caller cannot see, or to
   * one with a new name
   */
  async findPage<Details, Row extends { id: number }>(
    source: NameSearchSource<Details>,
    query: NameSearchQuery<Details>,
    findRows: (ids: number[]) => Promise<readonly Row[]>,
  ): Promise<Page<Row>> {
    const { accepts, clinicIds, limit, order, visibleIds } = query;
    const words = toSearchWords(query.search ?? '');
    const selection = new NamePageSelector<Details>(order, await this.findLast(source, query), limit + 1);
    for (const clinicId of clinicIds) {
      await this.forEach(source, { clinicId, clinicIds }, (entry) => {
        if (!accepts(entry.details) || visibleIds?.has(entry.id) === false) return;
        if (words.every((word) => entry.foldedName.includes(word))) selection.offer(entry);
      });
    }
    const ids = toPage(selection.selected, limit, await this.cursors.createKeyOf(order.field), ({ id }) => id, order);
    const rows = ids.items.length === 0 ? [] : await findRows(ids.items);
    const rowById = new Map(rows.map((row) => [row.id, row]));
    const count = await countItemsIfRequested(query.count, (maximum) => Math.min(selection.matched, maximum));
    return { ...ids, items: ids.items.flatMap((id) => rowById.get(id) ?? []), ...count };
  }

  /** Finds the last record of the previous page. */
  private async findLast<Details>(
    source: NameSearchSource<Details>,
    { clinicIds, cursor, order, visibleIds }: NameSearchQuery<Details>,
  ): Promise<NameSearchPosition | undefined> {
    if (cursor === undefined) return undefined;
    return this.cursors.findLast(cursor, order, async (id) => {
      // A cursor reveals where the name of its record is in the order, so the caller must be allowed to see that record.
      if (visibleIds?.has(id) === false) throw invalidCursorError();
      for (const clinicId of clinicIds) {
        const last = await new NameReader(this.em, source, clinicId).readOne(id);
        if (last !== undefined) return last;
      }
      throw invalidCursorError();
    });
  }

  private async forEach<Details>(
    source: NameSearchSource<Details>,
    { clinicId, clinicIds }: { clinicId: number | null; clinicIds: readonly (number | null)[] },
    visit: (entry: NameEntry<Details>) => void,
  ): Promise<void> {
    const reader = new NameReader(this.em, source, clinicId);
    const key = `${source.table} ${clinicId}`;
    const names = (await this.refresh(key, reader)) ?? (await this.loadOnce(key, reader));
    if (names === TOO_MANY) return this.scans.run(String(clinicIds[0]), () => this.scan(reader, visit));
    for (const entry of names.byId.values()) visit(entry as NameEntry<Details>);
  }

  /**
   * Brings the cached names of a Clinic up to date. Returns undefined if the names must be loaded, because none are
   * cached or too many have changed.
   */
  private async refresh(key: string, reader: NameReader<unknown>): Promise<CachedNames | typeof TOO_MANY | undefined> {
    const names = this.cache.get(key);
    if (names === undefined || names === TOO_MANY) return names;
    const changes = await reader.readChanges(names.runningSince, CHUNK_SIZE);
    if (changes.entries.length === CHUNK_SIZE) {
      this.cache.delete(key);
      return undefined;
    }
    if (changes.entries.length === 0) return names;
    addEntries(names, changes);
    // A new object is stored, because the cache computes the size of a value only when it is added.
    return this.store(key, { ...names, runningSince: Math.max(names.runningSince, changes.runningSince) });
  }

  /** Loads the names of a Clinic, unless another request is already doing so. */
  private async loadOnce(key: string, reader: NameReader<unknown>): Promise<CachedNames | typeof TOO_MANY> {
    for (let other = this.loads.get(key); other !== undefined; other = this.loads.get(key)) {
      await other.catch(() => undefined);
      const names = await this.refresh(key, reader);
      if (names !== undefined) return names;
    }
    const load = this.load(key, reader);
    this.loads.set(key, load);
    try {
      return await load;
    } finally {
      this.loads.delete(key);
    }
  }

  private async load(key: string, reader: NameReader<unknown>): Promise<CachedNames | typeof TOO_MANY> {
    const names: CachedNames = { byId: new Map(), runningSince: Infinity, bytes: ENTRY_BYTES };
    for await (const chunk of readAll(reader)) {
      addEntries(names, chunk);
      // Changes that are committed while further chunks are read are picked up by the next search.
      names.runningSince = Math.min(names.runningSince, chunk.runningSince);
      if (names.byId.size > this.maxNames || names.bytes > this.maxBytes) return this.store(key, TOO_MANY);
    }
    return this.store(key, names.byId.size === 0 ? { ...names, runningSince: 0 } : names);
  }

  /** Reads all names without caching them. Memory use is bounded, and other requests run between two chunks. */
  private async scan<Details>(reader: NameReader<Details>, visit: (entry: NameEntry<Details>) => void): Promise<void> {
    for await (const { entries } of readAll(reader)) for (const entry of entries) visit(entry);
  }

  private store<Names extends CachedNames | typeof TOO_MANY>(key: string, names: Names): Names {
    this.cache.set(key, names);
    return names;
  }
}

async function* readAll<Details>(reader: NameReader<Details>): AsyncGenerator<NameEntryChunk<Details>> {
  let afterId = 0;
  for (;;) {
    const chunk = await reader.readChunk(afterId, CHUNK_SIZE);
    if (chunk.entries.length > 0) yield chunk;
    if (chunk.entries.length < CHUNK_SIZE) return;
    afterId = chunk.entries.at(-1)!.id;
    await setImmediate();
  }
}

function addEntries(names: CachedNames, { entries }: NameEntryChunk<unknown>): void {
  for (const entry of entries) {
    const known = names.byId.get(entry.id);
    // Concurrent refreshes can finish in any order, so older rows must not replace newer ones.
    if (known !== undefined && known.changedIn > entry.changedIn) continue;
    names.byId.set(entry.id, entry);
    names.bytes += sizeOf(entry) - (known === undefined ? 0 : sizeOf(known));
  }
}

function sizeOf({ foldedName }: NameEntry): number {
  return ENTRY_BYTES + 2 * foldedName.length;
}
