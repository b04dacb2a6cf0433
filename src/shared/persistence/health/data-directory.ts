import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseEnvironment } from '../../config/env.js';

/** Another process has the embedded database open; two would destroy it. */
export class DataDirectoryInUseError extends Error {
  constructor(dataDir: string) {
    super(`The embedded database in ${dataDir} is in use by another process: stop that one, or set DATA_DIR.`);
  }
}

/** What lies in the data directory is no database that could be opened. */
export class DataDirectoryDamagedError extends Error {
  constructor(dataDir: string, reason: string) {
    super(
      `The embedded database in ${dataDir} cannot be opened (${reason}): restore a copy of the directory, or set DATA_DIR to an empty one.`,
    );
  }
}

/** Held until the process ends, however it ends. Kept, so that they are not collected and closed. */
const locks = new Map<string, DatabaseSync>();

/** Where in the data directory the files of the database are. */
export function databaseDirectory(dataDir: string): string {
  return join(dataDir, 'database');
}

/**
 * Makes the data directory this process's own until it ends. The embedded database does not lock its files itself, and
 * Node has no `flock`. SQLite's exclusive lock is one of the kernel's: it holds between containers on one machine, which
 * see other process ids, and is dropped when the process is killed.
 *
 * @throws DataDirectoryInUseError, DataDirectoryDamagedError
 */
export function lockDataDirectory(dataDir: string): void {
  if (dataDir.startsWith('memory:')) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!locks.has(dataDir)) locks.set(dataDir, acquireLock(dataDir));
  requireComplete(dataDir);
}

function acquireLock(dataDir: string): DatabaseSync {
  // Not `lock`, the file of earlier releases, which holds a process id.
  const lock = new DatabaseSync(join(dataDir, 'database.lock'));
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new DataDirectoryInUseError(dataDir);
    throw error;
  }
}

const SQLITE_BUSY = 5;

/** Without its PG_VERSION the embedded database takes old files for none, and makes a new database over them. */
function requireComplete(dataDir: string): void {
  const directory = databaseDirectory(dataDir);
  const files = existsSync(directory) ? readdirSync(directory) : [];
  if (files.length === 0) return;
  const missing = ['PG_VERSION', 'global', 'base', 'pg_wal'].filter((name) => !files.includes(name));
  if (missing.length > 0) throw new DataDirectoryDamagedError(dataDir, `${missing.join(', ')} is missing`);
}

/** How the embedded database, which is WebAssembly, ends when it cannot read its files. */
const ABORTED = /^Aborted\(|^PGlite failed to initialize|^Program terminated with exit/;

/**
 * Runs work that opens the database.
 *
 * @throws DataDirectoryDamagedError where the embedded database cannot read its files
 */
export async function detectDamageOnOpen<T>(database: DatabaseEnvironment, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = abortReason(error);
    if (database.kind !== 'embedded' || reason === undefined) throw error;
    throw new DataDirectoryDamagedError(database.dataDir, reason);
  }
}

/** Drivers wrap the error that tells what happened. */
function abortReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'RuntimeError' || ABORTED.test(error.message)) return 'its files are damaged';
  return abortReason(error.cause);
}
