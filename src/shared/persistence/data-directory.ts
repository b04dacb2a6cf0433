import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Another process has the embedded database open; two would destroy it. */
export class DataDirectoryInUseError extends Error {
  constructor(dataDir: string, processId: number) {
    super(`The embedded database in ${dataDir} is in use by process ${processId}: stop that one, or set DATA_DIR.`);
  }
}

/**
 * Makes the data directory this process's own until it exits. The embedded database does not lock its
 * files itself. A lock whose process is gone is taken over.
 *
 * @throws DataDirectoryInUseError
 */
export function claimDataDirectory(dataDir: string): void {
  if (dataDir.startsWith('memory:')) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = join(dataDir, 'lock');
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const owner = Number(readFileSync(lock, 'utf8'));
    if (owner !== process.pid && isAlive(owner)) throw new DataDirectoryInUseError(dataDir, owner);
    writeFileSync(lock, String(process.pid));
  }
  process.once('exit', () => rmSync(lock, { force: true }));
}

function isAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
