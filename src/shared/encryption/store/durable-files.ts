import { randomUUID } from 'node:crypto';
import { link, mkdir, open, opendir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/* Files that exist as a whole or not at all, and survive a power failure once they are flushed to disk. */

type Durability = { isDurable: boolean };

/** Writes a file that does not exist yet. @returns false if it exists */
export async function writeNewFile(file: string, content: string, { isDurable }: Durability): Promise<boolean> {
  const temporary = await writeTemporary(file, content, { isDurable });
  try {
    // `link` fails if the file exists, unlike `rename`, and never exposes a partial file, unlike opening with "wx".
    await link(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
    if (isDurable) await flushToDisk(dirname(file));
  }
}

/** Writes a file durably, in place of the one that may be there. */
export async function replaceFile(file: string, content: string): Promise<void> {
  await rename(await writeTemporary(file, content, { isDurable: true }), file);
  await flushToDisk(dirname(file));
}

/** Flushes a file, or the entries of a directory, to disk, so that they survive a power failure. */
export async function flushToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Overwrites a file and deletes it. On some storage, the old blocks remain until they are reused. */
export async function eraseFile(file: string): Promise<void> {
  await ignoreMissingFile(async () => {
    const handle = await open(file, 'r+');
    try {
      const { size } = await handle.stat();
      await handle.write(Buffer.alloc(size), 0, size, 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
  await rm(file, { force: true });
}

export function readFileIfExists(file: string): Promise<string | undefined> {
  return ignoreMissingFile(() => readFile(file, 'utf8'));
}

export async function* listFileNames(directory: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(directory)) yield name;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Runs work on a file. Returns undefined if the file does not exist. */
export async function ignoreMissingFile<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeTemporary(file: string, content: string, { isDurable }: Durability): Promise<string> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  const handle = await openNew(temporary);
  try {
    await handle.writeFile(content);
    if (isDurable) await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

/** Creates the directory only if it is missing, which is rare. */
async function openNew(file: string) {
  const create = () => open(file, 'wx', 0o600);
  const handle = await ignoreMissingFile(create);
  if (handle !== undefined) return handle;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return create();
}
