import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseEnvironment } from '../../config/env.js';

/** Another process is using the embedded database. Two processes would corrupt the database. */
export class DataDirectoryInUseError extends Error {
  constructor(dataDir: string) {
    super(`The embedded database in ${dataDir} is in use by another process: stop that one, or set DATA_DIR.`);
  }
}

/** The files in the data directory cannot be opened as a database. */
export class DataDirectoryDamagedError extends Error {
  constructor(dataDir: string, reason: string) {
    super(
      `The embedded database in ${dataDir} cannot be opened (${reason}): restore a copy of the directory, or set DATA_DIR to an empty one.`,
    );
  }
}

/** Locks by data directory. The references keep the locks from being garbage-collected, which would release them. */
const locks = new Map<string, DatabaseSync>();

/** Returns the path of the database files within the data directory. */
export function getDatabaseDirectory(dataDir: string): string {
  return join(dataDir, 'database');
}

/** Returns the names of the database files at the top level; none if there is no database yet. */
export function listDatabaseFiles(dataDir: string): string[] {
  const directory = getDatabaseDirectory(dataDir);
  return existsSync(directory) ? readdirSync(directory) : [];
}

/**
 * Locks the data directory until this process ends. The embedded database does not lock its files, and Node has no
 * `flock`, so this uses an exclusive SQLite lock. SQLite uses kernel locks, which work between containers on one
 * machine, where process IDs cannot be compared, and which are released when the process is killed.
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
  // The file is not called `lock`, because earlier releases wrote a process ID to a file with that name.
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

/** Without PG_VERSION, the embedded database would ignore the other files and overwrite them with a new database. */
function requireComplete(dataDir: string): void {
  const files = listDatabaseFiles(dataDir);
  if (files.length === 0) return;
  const missing = ['PG_VERSION', 'global', 'base', 'pg_wal'].filter((name) => !files.includes(name));
  if (missing.length > 0) throw new DataDirectoryDamagedError(dataDir, `${missing.join(', ')} is missing`);
}

/** Error messages of the embedded database, which is WebAssembly, when it cannot read its files. */
const ABORTED = /^Aborted\(|^PGlite failed to initialize|^Program terminated with exit/;

/**
 * Runs work that opens the database, and translates errors caused by a damaged data directory.
 *
 * @throws DataDirectoryDamagedError if the embedded database cannot read its files
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

/** Also checks the causes of the error, because drivers wrap errors. */
function abortReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'RuntimeError' || ABORTED.test(error.message)) return 'its files are damaged';
  return abortReason(error.cause);
}
