import { mkdir, rm } from 'node:fs/promises';
import type { Client } from 'pg';
import { recordCommand } from '../../audit/index.js';
import { BackupError } from './backup-error.js';
import { migrationsOf, sequencesOf, tablesOf } from './catalog.js';
import { inTransaction, SNAPSHOT } from './connection.js';
import { copyToFile, nameOf } from './copy.js';
import { dataFile, writeManifest, type Manifest } from './manifest.js';

/**
 * Writes all rows of the database, as they were at one moment, into a new directory, while the service goes on.
 *
 * @throws BackupError when the directory exists; an error of PostgreSQL when the role would not see every row
 */
export async function takeBackup(directory: string): Promise<string> {
  await makeDirectory(directory);
  try {
    await inTransaction('begin', (client) =>
      recordCommand({ name: 'backup', access: 'READ' }, (text, values) => client.query(text, values)),
    );
    const { tables } = await inTransaction(SNAPSHOT, (client) => write(client, directory));
    return `${tables.length} tables, ${tables.reduce((sum, { rows }) => sum + rows, 0)} rows`;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function write(client: Client, directory: string): Promise<Manifest> {
  const { rows } = await client.query<{ now: string }>(
    `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`,
  );
  const tables = await tablesOf(client);
  // As pg_dump does: from here on no migration changes what is about to be read.
  await client.query(`lock table ${tables.map(nameOf).join(', ')} in access share mode`);
  const migrations = await migrationsOf(client);
  const contents: Manifest['tables'] = [];
  for (const table of tables) {
    const content = await copyToFile(client, table, dataFile(directory, table));
    contents.push({ name: table.name, columns: table.columns, ...content });
  }
  // Sequences are outside of snapshots. Read last, they are past every id that was copied.
  const sequences = (await sequencesOf(client)).map(({ name, last }) => ({ name, last }));
  const manifest = { takenAt: rows[0]!.now, migrations, tables: contents, sequences };
  // Last: a directory without it is no backup.
  await writeManifest(directory, manifest);
  return manifest;
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    throw new BackupError(`${directory} cannot be made (${(error as NodeJS.ErrnoException).code}).`);
  }
}
