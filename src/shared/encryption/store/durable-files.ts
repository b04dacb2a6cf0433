import { open, opendir, readFile, rm, type FileHandle } from 'node:fs/promises';

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
      await overwrite(handle);
    } finally {
      await handle.close();
    }
  });
  await rm(file, { force: true });
}

/** Deletes one name of a file, and overwrites the content if the file has no other name. */
export async function eraseName(file: string): Promise<void> {
  await ignoreMissingFile(async () => {
    const handle = await open(file, 'r+');
    try {
      // The name is deleted first, so that no process can link the file to another name before it is overwritten.
      await rm(file, { force: true });
      if ((await handle.stat()).nlink === 0) await overwrite(handle);
    } finally {
      await handle.close();
    }
  });
}

async function overwrite(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  await handle.write(Buffer.alloc(size), 0, size, 0);
  await handle.sync();
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
