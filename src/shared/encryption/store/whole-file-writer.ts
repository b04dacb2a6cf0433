import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { getSystemTimeMs } from '../../time/index.js';
import { eraseName, flushToDisk, ignoreMissingFile, listFileNames } from './durable-files.js';

const TEMPORARY = 'temporary';
/** No write takes this long, so the process that wrote an older temporary file was killed. */
const ABANDONED_AFTER_MS = 10 * 60_000;

type Durability = { isDurable: boolean };

/**
 * Writes files that exist as a whole or not at all, and survive a power failure once they are flushed to disk. The
 * content is first written to a temporary file. All of these are in one folder, so that the files that a killed process
 * has left are found without a search in all folders.
 */
export class WholeFileWriter {
  private readonly temporary: string;

  constructor(private readonly directory: string) {
    this.temporary = join(directory, TEMPORARY);
  }

  /**
   * Writes a file that does not exist yet.
   *
   * @returns false if it exists
   * @throws ENOENT if the temporary file was erased in the meantime
   */
  async writeNew(file: string, content: string, { isDurable }: Durability): Promise<boolean> {
    const temporary = await this.writeTemporary(file, content, { isDurable });
    try {
      // `link` fails if the file exists, unlike `rename`, and never exposes a partial file, unlike opening with "wx".
      await inFolder(dirname(file), () => link(temporary, file));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(temporary, { force: true });
      if (isDurable) await ignoreMissingFile(() => flushToDisk(dirname(file)));
    }
  }

  /**
   * Writes a file durably, in place of the one that may be there.
   *
   * @throws ENOENT if the temporary file was erased in the meantime
   */
  async replace(file: string, content: string): Promise<void> {
    const temporary = await this.writeTemporary(file, content, { isDurable: true });
    await inFolder(dirname(file), () => rename(temporary, file));
    await flushToDisk(dirname(file));
  }

  /** Lists the temporary files for a file, or for all files in a folder. */
  async *listTemporary(path: string): AsyncGenerator<string> {
    const prefix = this.flatten(path);
    for await (const name of listFileNames(this.temporary))
      if (name.startsWith(`${prefix}.`) || name.startsWith(`${prefix}-`)) yield join(this.temporary, name);
  }

  /** Erases the temporary files that killed processes have left. */
  async eraseAbandoned(): Promise<void> {
    for await (const name of listFileNames(this.temporary)) {
      const file = join(this.temporary, name);
      const found = await ignoreMissingFile(() => stat(file));
      if (found !== undefined && getSystemTimeMs() - found.mtimeMs >= ABANDONED_AFTER_MS) await eraseName(file);
    }
  }

  private async writeTemporary(file: string, content: string, { isDurable }: Durability): Promise<string> {
    const temporary = join(this.temporary, `${this.flatten(file)}.${randomUUID()}`);
    const handle = await inFolder(this.temporary, () => open(temporary, 'wx', 0o600));
    try {
      await handle.writeFile(content);
      if (isDurable) await handle.sync();
    } finally {
      await handle.close();
    }
    return temporary;
  }

  private flatten(path: string): string {
    return relative(this.directory, path).replaceAll(sep, '-');
  }
}

/** Runs work on a file of a folder. Creates the folder only if it is missing, which is rare. */
async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return work();
  }
}
