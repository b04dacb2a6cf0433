import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getSystemTimeMs } from '../../time/index.js';
import { KEY_OWNER_KINDS, toOwnerKey, type KeyOwnerKind, type KeyOwner } from '../key-owner.js';
import type { OwnedWrappedKey, WrappedKey } from '../wrapping/key-wrapper.js';
import { eraseFile, ignoreMissingFile, listFileNames, readFileIfExists } from './durable-files.js';
import type { WholeFileWriter } from './whole-file-writer.js';

const SUFFIX = '.keys';

/**
 * A journal of new data keys (write-ahead log): one file for each batch. A batch is durable as soon as its file is, so
 * the many small files of its keys need not be synchronised one by one before the keys are used.
 */
export class KeyJournal {
  constructor(
    private readonly directory: string,
    private readonly files: WholeFileWriter,
  ) {}

  /** Writes a batch of new keys to a file, which survives a power failure. */
  async write(keys: readonly OwnedWrappedKey[]): Promise<void> {
    const lines = keys.map(({ owner, wrapped }) => `${toOwnerKey(owner)} ${wrapped}\n`);
    await this.files.writeNew(join(this.directory, `${randomUUID()}${SUFFIX}`), lines.join(''), { isDurable: true });
  }

  /** Lists the files of batches that have at least this age. */
  async *list(minimumAgeMs = 0): AsyncGenerator<string> {
    for await (const name of listFileNames(this.directory)) {
      if (!name.endsWith(SUFFIX)) continue;
      const file = join(this.directory, name);
      const found = await ignoreMissingFile(() => stat(file));
      if (found !== undefined && getSystemTimeMs() - found.mtimeMs >= minimumAgeMs) yield file;
    }
  }

  async read(file: string): Promise<OwnedWrappedKey[]> {
    return ((await readFileIfExists(file)) ?? '').split('\n').flatMap(parseLine);
  }

  /** Deletes a batch whose keys are durable in their own files. */
  async remove(file: string): Promise<void> {
    await eraseFile(file);
  }

  /** Overwrites the keys of these owners in the files of all batches, also of those that were not completed. */
  async erase(owners: readonly KeyOwner[]): Promise<void> {
    const names = new Set(owners.map(toOwnerKey));
    for (const files of [this.files.listTemporary(this.directory), this.list()])
      for await (const file of files) await ignoreMissingFile(() => eraseLines(file, names));
  }
}

async function eraseLines(file: string, names: ReadonlySet<string>): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    let position = 0;
    let isChanged = false;
    for (const line of (await handle.readFile('utf8')).split('\n')) {
      if (names.has(line.split(' ', 2).join(' '))) {
        await handle.write(' '.repeat(line.length), position);
        isChanged = true;
      }
      position += line.length + 1;
    }
    if (isChanged) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns the key in a line, or an empty list if the line was overwritten and is blank. */
function parseLine(line: string): OwnedWrappedKey[] {
  const [kind = '', id = '', ...wrapped] = line.split(' ');
  if (!KEY_OWNER_KINDS.includes(kind as KeyOwnerKind) || wrapped.length === 0) return [];
  return [{ owner: { kind: kind as KeyOwnerKind, id: Number(id) }, wrapped: wrapped.join(' ') as WrappedKey }];
}
