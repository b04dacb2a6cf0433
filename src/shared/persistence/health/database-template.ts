import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getDatabaseDirectory, listDatabaseFiles, lockDataDirectory } from './data-directory.js';

/** The migrated database without rows that `.ci/embedded-template.ts` puts into `dist`. Tests of the sources have none. */
const TEMPLATE = fileURLToPath(new URL('../../../../embedded-database', import.meta.url));

/**
 * Locks the data directory until this process ends, and copies the template of the build into an empty one. Without a
 * template, the start runs all migrations.
 *
 * @throws DataDirectoryInUseError, DataDirectoryDamagedError
 */
export function prepareDataDirectory(dataDir: string, template = TEMPLATE): void {
  lockDataDirectory(dataDir);
  if (dataDir.startsWith('memory:') || listDatabaseFiles(dataDir).length > 0 || !existsSync(template)) return;
  const directory = getDatabaseDirectory(dataDir);
  // A process that is killed while it copies leaves no incomplete database behind.
  const copy = `${directory}.new`;
  rmSync(copy, { recursive: true, force: true });
  cpSync(template, copy, { recursive: true });
  rmSync(directory, { recursive: true, force: true });
  renameSync(copy, directory);
}
