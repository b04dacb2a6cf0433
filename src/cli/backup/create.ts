import { mkdir, rm } from 'node:fs/promises';
import type { Client } from 'pg';
import { recordCommand } from '../../audit/index.js';
import { CommandError } from '../command-error.js';
import { readMigrationNames, readAuditPartitions, readSequences, readBackupTables } from './catalog.js';
import { beginLockedSnapshot, inOwnerTransaction } from './connection.js';
import { copyTableToFile } from './copy.js';
import { getDataFilePath, writeManifest, type BackupManifest } from './manifest.js';

/**
 * Writes a snapshot of all rows to a new directory. The service may keep running.
 *
 * @throws CommandError if the directory exists; the PostgreSQL error if the role cannot read all rows
 */
export async function createBackup(directory: string): Promise<string> {
  await createDirectory(directory);
  try {
    const existing = await inOwnerTransaction('begin', async (client) => {
      await recordCommand({ name: 'backup', access: 'READ' }, (text, values) => client.query(text, values));
      return readBackupTables(client);
    });
    const { tables } = await inOwnerTransaction(beginLockedSnapshot(existing), (client) =>
      writeBackup(client, directory),
    );
    return `${tables.length} tables, ${tables.reduce((sum, { rows }) => sum + rows, 0)} rows`;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function writeBackup(client: Client, directory: string): Promise<BackupManifest> {
  const { rows } = await client.query<{ now: string }>(
    `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`,
  );
  const tables = await readBackupTables(client);
  const migrations = await readMigrationNames(client);
  const contents: BackupManifest['tables'] = [];
  for (const table of tables) {
    const content = await copyTableToFile(client, table, getDataFilePath(directory, table));
    contents.push({ name: table.name, columns: table.columns, ...content });
  }
  // Sequences are not part of the snapshot. Reading them last ensures that they cover all copied IDs.
  const sequences = (await readSequences(client)).map(({ name, last }) => ({ name, last }));
  const partitions = await readAuditPartitions(client);
  const manifest = { takenAt: rows[0]!.now, migrations, tables: contents, partitions, sequences };
  // The manifest is written last, because a directory without a manifest is not a valid backup.
  await writeManifest(directory, manifest);
  return manifest;
}

async function createDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    throw new CommandError(`${directory} cannot be created (${(error as NodeJS.ErrnoException).code}).`);
  }
}
