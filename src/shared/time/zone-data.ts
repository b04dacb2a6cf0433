import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Releases of the IANA time zone database: `2026c`. Their order is that of their names. */
const VERSION = /^\d{4}[a-z]{1,2}$/;
/** The file of ICU's time zone data that names its version. */
const FILE = 'zoneinfo64.res';

/** The time zone data that this process works with. Injected, so that tests can be another process. */
export class ZoneData {
  readonly version = process.versions['tz'] ?? '';
}

/**
 * Why the time zone data of `ICU_TIMEZONE_FILES_DIR` is not what this process works with. ICU ignores a directory that is
 * missing, and loses every time zone with a file that is damaged.
 *
 * @param version of the data that the process works with
 * @returns undefined where all is well
 */
export function findZoneDataProblem(directory: string | undefined, version: string): string | undefined {
  if (directory === undefined) return VERSION.test(version) ? undefined : 'must name time zone data: Node has none';
  const file = join(directory, FILE);
  if (!existsSync(file)) return `must be a directory with ICU's ${FILE}, which is not there`;
  const claimed = /(?<!\w)\d{4}[a-z]{1,2}(?=\0)/.exec(readFileSync(file).toString('utf16le'))?.[0];
  if (claimed === undefined) return `must hold time zone data that can be read: its ${FILE} names no version`;
  if (claimed === version) return undefined;
  return `must be set before the process starts, to data that it can read: it holds ${claimed}, and ${version || 'none'} is in use`;
}
