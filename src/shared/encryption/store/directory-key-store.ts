import { randomUUID } from 'node:crypto';
import { link, mkdir, open, opendir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { forEachConcurrently } from '../concurrency.js';
import { KEY_KINDS, type KeyKind, type KeyOwner } from '../key-owner.js';
import { KeyStore, type StoredKey } from './key-store.js';
import type { OwnedWrappedKey, WrappedKey } from '../wrapping/key-wrapper.js';

/** Number of subdirectories for each kind of owner. They keep the number of files in each directory small. */
const SHARDS = 4_096;
const ID_FILE = 'store-id';
const KEY_SUFFIX = '.key';
/**
 * Suffix of the file that marks a key as destroyed. It takes precedence over a key file that a concurrent rotation
 * writes.
 */
const DESTROYED_SUFFIX = '.destroyed';

/**
 * Keeps each wrapped data key in a small file of a directory, such as `client/00c/12.key`. Instances may share the
 * directory through a network file system, if it has atomic `link` and `rename`.
 */
export class DirectoryKeyStore extends KeyStore {
  constructor(private readonly directory: string) {
    super();
  }

  async readId(): Promise<string> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const file = join(this.directory, ID_FILE);
    await this.writeNew(file, randomUUID());
    return (await readFile(file, 'utf8')).trim();
  }

  async read(owner: KeyOwner): Promise<StoredKey> {
    const key = await readIfExists(this.fileOf(owner, KEY_SUFFIX));
    const isDestroyed = (await readIfExists(this.fileOf(owner, DESTROYED_SUFFIX))) !== undefined;
    if (!isDestroyed) return key === undefined ? 'ABSENT' : (key as WrappedKey);
    // Completes a destruction that was interrupted, or after which a rotation wrote the key file again.
    if (key !== undefined) await this.destroy(owner);
    return 'DESTROYED';
  }

  async readAll(owners: readonly KeyOwner[]): Promise<StoredKey[]> {
    const stored: StoredKey[] = [];
    await forEachConcurrently(owners, async (owner, index) => {
      stored[index] = await this.read(owner);
    });
    return stored;
  }

  async createAll(keys: readonly OwnedWrappedKey[]): Promise<boolean[]> {
    const created: boolean[] = [];
    await forEachConcurrently(keys, async ({ owner, wrapped }, index) => {
      const isNew = await this.writeNew(this.fileOf(owner, KEY_SUFFIX), wrapped);
      created[index] = isNew && (await this.read(owner)) !== 'DESTROYED';
    });
    return created;
  }

  async replace(owner: KeyOwner, wrapped: WrappedKey): Promise<void> {
    const file = this.fileOf(owner, KEY_SUFFIX);
    const temporary = await writeTemporary(file, wrapped);
    await rename(temporary, file);
    await synchronise(dirname(file));
    // If the key was destroyed in the meantime, this read deletes the new file.
    await this.read(owner);
  }

  async destroy(owner: KeyOwner): Promise<void> {
    const file = this.fileOf(owner, KEY_SUFFIX);
    await this.writeNew(this.fileOf(owner, DESTROYED_SUFFIX), '');
    await overwrite(file);
    await rm(file, { force: true });
    await synchronise(dirname(file));
  }

  async *list(): AsyncGenerator<KeyOwner> {
    for (const kind of KEY_KINDS) {
      for await (const shard of listNames(join(this.directory, toFolder(kind)))) {
        for await (const name of listNames(join(this.directory, toFolder(kind), shard))) {
          const id = /^(\d+)\.key$/.exec(name)?.[1];
          if (id !== undefined) yield { kind, id: Number(id) };
        }
      }
    }
  }

  private fileOf({ kind, id }: KeyOwner, suffix: string): string {
    const shard = (id % SHARDS).toString(16).padStart(3, '0');
    return join(this.directory, toFolder(kind), shard, `${id}${suffix}`);
  }

  /** Writes a file that does not exist yet. @returns false if it exists */
  private async writeNew(file: string, content: string): Promise<boolean> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const temporary = await writeTemporary(file, content);
    try {
      // Unlike `rename`, `link` fails if the file exists. Unlike opening the file with "wx", it never exposes a partial
      // file.
      await link(temporary, file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(temporary, { force: true });
      await synchronise(dirname(file));
    }
  }
}

function toFolder(kind: KeyKind): string {
  return kind.toLowerCase().replace('_', '-');
}

async function writeTemporary(file: string, content: string): Promise<string> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

/** Overwrites the key before its file is deleted. On some storage, the old blocks remain until they are reused. */
async function overwrite(file: string): Promise<void> {
  try {
    const handle = await open(file, 'r+');
    try {
      const { size } = await handle.stat();
      await handle.write(Buffer.alloc(size), 0, size, 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Flushes the entries of a directory to disk, so that they survive a power failure. */
async function synchronise(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function* listNames(directory: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(directory)) yield name;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
