import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { mapConcurrently } from '../concurrency.js';
import { KEY_OWNER_KINDS, type KeyOwnerKind, type KeyOwner } from '../key-owner.js';
import type { OwnedWrappedKey, WrappedKey } from '../wrapping/key-wrapper.js';
import {
  eraseFile,
  eraseName,
  flushToDisk,
  ignoreMissingFile,
  listFileNames,
  readFileIfExists,
} from './durable-files.js';
import { KeyJournal } from './key-journal.js';
import { KeyStore, type StoredKey } from './key-store.js';
import { WholeFileWriter } from './whole-file-writer.js';

/** Number of subdirectories for each kind of owner. They keep the number of files in each directory small. */
const SHARDS = 4_096;
const ID_FILE = 'store-id';
const JOURNAL = 'journal';
const KEY_SUFFIX = '.key';
/**
 * Suffix of the file that marks a key as destroyed. It takes precedence over a key file that a concurrent rotation
 * writes.
 */
const DESTROYED_SUFFIX = '.destroyed';
/** From this number of new keys on, the journal makes them durable together. */
const MIN_BATCH = 4;
/**
 * When the files of a batch are synchronised. Systems write files to disk within about 30 s by themselves, after which
 * synchronising them costs little.
 */
const SETTLED_AFTER_MS = 60_000;
const WRAPPED_KEY = /^[12] \S+ \S+$/;

/**
 * Keeps each wrapped data key in a small file of a directory, such as `client/00c/12.key`. Instances may share the
 * directory through a network file system, if it has atomic `link` and `rename`.
 */
export class DirectoryKeyStore extends KeyStore {
  private readonly files: WholeFileWriter;
  private readonly journal: KeyJournal;

  constructor(private readonly directory: string) {
    super();
    this.files = new WholeFileWriter(directory);
    this.journal = new KeyJournal(join(directory, JOURNAL), this.files);
  }

  async readId(): Promise<string> {
    await this.files.writeNew(join(this.directory, ID_FILE), randomUUID(), { isDurable: true });
    return (await this.findId())!;
  }

  async findId(): Promise<string | undefined> {
    return (await readFileIfExists(join(this.directory, ID_FILE)))?.trim();
  }

  async read(owner: KeyOwner): Promise<StoredKey> {
    const key = await readFileIfExists(this.fileOf(owner, KEY_SUFFIX));
    if (!(await this.isDestroyed(owner))) return key === undefined ? 'ABSENT' : (key as WrappedKey);
    // Completes a destruction that was interrupted, or after which a rotation wrote the key file again.
    if (key !== undefined) await this.destroyAll([owner]);
    return 'DESTROYED';
  }

  readAll(owners: readonly KeyOwner[]): Promise<StoredKey[]> {
    return mapConcurrently(owners, (owner) => this.read(owner));
  }

  async createAll(keys: readonly OwnedWrappedKey[]): Promise<boolean[]> {
    const isBatch = keys.length >= MIN_BATCH;
    const created = await mapConcurrently(keys, ({ owner, wrapped }) =>
      this.unlessDestroyed(owner, false, (file) => this.files.writeNew(file, wrapped, { isDurable: !isBatch })),
    );
    if (isBatch) await this.journal.write(keys.filter((_, index) => created[index]));
    return mapConcurrently(keys, async ({ owner }, index) => {
      if (!created[index] || !(await this.isDestroyed(owner))) return created[index]!;
      // A key that was destroyed while it was being written is deleted here, from the journal as well.
      await this.destroyAll([owner]);
      return false;
    });
  }

  async replace(owner: KeyOwner, wrapped: WrappedKey): Promise<void> {
    await this.unlessDestroyed(owner, undefined, (file) => this.files.replace(file, wrapped));
    // If the key was destroyed in the meantime, this read deletes the new file.
    await this.read(owner);
  }

  async destroyAll(owners: readonly KeyOwner[]): Promise<void> {
    await mapConcurrently(owners, async (owner) => {
      const file = this.fileOf(owner, KEY_SUFFIX);
      await this.files.writeNew(this.fileOf(owner, DESTROYED_SUFFIX), '', { isDurable: true });
      for await (const temporary of this.files.listTemporary(file)) await eraseName(temporary);
      await eraseFile(file);
      await flushToDisk(dirname(file));
    });
    await this.journal.erase(owners);
  }

  async *list(): AsyncGenerator<KeyOwner> {
    for (const kind of KEY_OWNER_KINDS) {
      for await (const shard of listFileNames(join(this.directory, toFolder(kind)))) {
        for await (const name of listFileNames(join(this.directory, toFolder(kind), shard))) {
          const id = /^(\d+)\.key$/.exec(name)?.[1];
          if (id !== undefined) yield { kind, id: Number(id) };
        }
      }
    }
  }

  async recover(): Promise<void> {
    await this.files.eraseAbandoned();
    for await (const batch of this.journal.list())
      await mapConcurrently(await this.journal.read(batch), (key) => this.restore(key));
  }

  async maintain(): Promise<void> {
    await this.files.eraseAbandoned();
    for await (const batch of this.journal.list(SETTLED_AFTER_MS)) {
      const keys = await this.journal.read(batch);
      const files = keys.map(({ owner }) => this.fileOf(owner, KEY_SUFFIX));
      await mapConcurrently(keys, async (key, index) => {
        await this.restore(key);
        await ignoreMissingFile(() => flushToDisk(files[index]!));
      });
      await mapConcurrently([...new Set(files.map(dirname))], (directory) => flushToDisk(directory));
      await this.journal.remove(batch);
    }
  }

  /** Writes the file of a key of the journal again if a power failure has lost its entry or its content. */
  private async restore({ owner, wrapped }: OwnedWrappedKey): Promise<void> {
    const content = await readFileIfExists(this.fileOf(owner, KEY_SUFFIX));
    if (WRAPPED_KEY.test(content?.trim() ?? '') || (await this.isDestroyed(owner))) return;
    await this.unlessDestroyed<unknown>(owner, undefined, (file) =>
      // Another instance may restore a missing file at the same time.
      content === undefined
        ? this.files.writeNew(file, wrapped, { isDurable: true })
        : this.files.replace(file, wrapped),
    );
    // If the key was destroyed in the meantime, this read deletes the new file.
    await this.read(owner);
  }

  /** Writes the file of a key. Returns `otherwise` if a destruction of the key has erased the temporary file. */
  private async unlessDestroyed<T>(owner: KeyOwner, otherwise: T, write: (file: string) => Promise<T>): Promise<T> {
    try {
      return await write(this.fileOf(owner, KEY_SUFFIX));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && (await this.isDestroyed(owner))) return otherwise;
      throw error;
    }
  }

  private async isDestroyed(owner: KeyOwner): Promise<boolean> {
    return (await readFileIfExists(this.fileOf(owner, DESTROYED_SUFFIX))) !== undefined;
  }

  private fileOf({ kind, id }: KeyOwner, suffix: string): string {
    const shard = (id % SHARDS).toString(16).padStart(3, '0');
    return join(this.directory, toFolder(kind), shard, `${id}${suffix}`);
  }
}

function toFolder(kind: KeyOwnerKind): string {
  return kind.toLowerCase().replace('_', '-');
}
