import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../command-error.js';

const manifestSchema = z.object({
  /** The time of the snapshot, ISO 8601 in UTC. */
  takenAt: z.iso.datetime(),
  /** The executed migrations, sorted by name. */
  migrations: z.array(z.string()),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.int(),
      sha256: z.string(),
    }),
  ),
  /** The partitions of tables that are partitioned by time, apart from the default ones. */
  partitions: z.array(z.object({ table: z.string(), name: z.string(), lower: z.string(), upper: z.string() })),
  sequences: z.array(z.object({ name: z.string(), last: z.string().nullable() })),
});

/** The content of a backup. A restored database is compared with it. */
export type BackupManifest = z.output<typeof manifestSchema>;

export function getDataFilePath(directory: string, table: { name: string }): string {
  return join(directory, `${table.name}.copy.gz`);
}

export async function writeManifest(directory: string, content: BackupManifest): Promise<void> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  await writeFile(join(directory, MANIFEST_FILE), text, { flag: 'wx', mode: 0o600, flush: true });
}

/** @throws CommandError if the file is missing or invalid */
export function readManifest(directory: string): BackupManifest {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(join(directory, MANIFEST_FILE), 'utf8')));
  } catch {
    throw new CommandError(`${directory} is not a backup: its ${MANIFEST_FILE} cannot be read.`);
  }
}

const MANIFEST_FILE = 'manifest.json';
