import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Matches the name of an IANA time zone database release, such as `2026c`. In string order, newer releases come later.
 */
const VERSION = /^\d{4}[a-z]{1,2}$/;
/** The ICU file that contains the version of the time zone data. */
const FILE = 'zoneinfo64.res';

/** The versions of the time zone data of this process and of the database. Injected so that tests can replace it. */
export class ZoneData {
  readonly version = process.versions['tz'] ?? '';
  /** The version with which the stored instants are computed, or undefined if none is stored or known yet. */
  databaseVersion: string | undefined;

  /** Whether the database has newer data. This process would compute wrong instants and show wrong local times. */
  get isOutdated(): boolean {
    return this.databaseVersion !== undefined && this.version < this.databaseVersion;
  }
}

/**
 * Explains why Node has not loaded the time zone data in `ICU_TIMEZONE_FILES_DIR`. ICU itself reports no error: it
 * ignores a missing directory, and has no time zones if the file is damaged.
 *
 * @param version the version of the data that Node has loaded
 * @returns undefined if the data is loaded
 */
export function findTimeZoneDataProblem(directory: string | undefined, version: string): string | undefined {
  if (directory === undefined) return VERSION.test(version) ? undefined : 'must name time zone data: Node has none';
  const file = join(directory, FILE);
  if (!existsSync(file)) return `must be a directory with ICU's ${FILE}, which is not there`;
  const claimed = /(?<!\w)\d{4}[a-z]{1,2}(?=\0)/.exec(readFileSync(file).toString('utf16le'))?.[0];
  if (claimed === undefined) return `must hold time zone data that can be read: its ${FILE} names no version`;
  if (claimed === version) return undefined;
  return `must be set before the process starts, to data that it can read: it holds ${claimed}, and ${version || 'none'} is in use`;
}
