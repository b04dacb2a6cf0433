import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BackupError } from './backup-error.js';

const manifestSchema = z.object({
  /** When the snapshot was taken, ISO 8601 in UTC. */
  takenAt: z.iso.datetime(),
  /** The migrations that had made the schema, in order of their names. */
  migrations: z.array(z.string()),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.int(),
      sha256: z.string(),
    }),
  ),
  sequences: z.array(z.object({ name: z.string(), last: z.string().nullable() })),
});

/** What a backup holds: what a restored database is held against. */
export type Manifest = z.output<typeof manifestSchema>;

export function getDataFilePath(directory: string, table: { name: string }): string {
  return join(directory, `${table.name}.copy.gz`);
}

export async function writeManifest(directory: string, content: Manifest): Promise<void> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  await writeFile(join(directory, MANIFEST_FILE), text, { flag: 'wx', mode: 0o600, flush: true });
}

/** @throws BackupError when there is none, or another file of that name */
export function readManifest(directory: string): Manifest {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(join(directory, MANIFEST_FILE), 'utf8')));
  } catch {
    throw new BackupError(`${directory} is not a backup: its ${MANIFEST_FILE} cannot be read.`);
  }
}

const MANIFEST_FILE = 'manifest.json';
