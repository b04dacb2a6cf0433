import type { Client } from 'pg';
import { migrations } from '../../migrations/index.js';
import { CommandError } from '../command-error.js';
import {
  joinAssignedIds,
  readMigrationNames,
  readSequences,
  readBackupTables,
  type DatabaseSequence,
  type BackupTable,
} from './catalog.js';
import { inOwnerTransaction, BEGIN_SNAPSHOT } from './connection.js';
import { computeTableChecksum, quoteName } from './copy.js';
import { readManifest, type BackupManifest } from './manifest.js';

/**
 * Compares the schema, rows and sequences of the database with a backup.
 *
 * @throws CommandError with one line for each difference
 */
export async function verifyRestore(directory: string): Promise<string> {
  const manifest = readManifest(directory);
  return inOwnerTransaction(BEGIN_SNAPSHOT, (client) => compareWithManifest(client, manifest));
}

/**
 * Compares the schema, rows and sequences of the database with the manifest of a backup.
 *
 * @returns a sentence with the numbers of tables and rows
 * @throws CommandError with one line for each difference
 */
export async function compareWithManifest(client: Client, manifest: BackupManifest): Promise<string> {
  const tables = await requireSameSchema(client, manifest);
  const differences: string[] = [];
  for (const table of tables) differences.push(...(await compareRows(client, table, manifest)));
  for (const sequence of await readSequences(client))
    differences.push(...(await compareSequence(client, sequence, manifest)));
  if (differences.length > 0) throw new CommandError(differences.join('\n'));
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  return `${tables.length} tables with ${rows} rows are as they were at ${manifest.takenAt}`;
}

/**
 * @returns the tables in the database
 * @throws CommandError if release, migrations, tables or columns of the database differ from those of the backup
 */
export async function requireSameSchema(client: Client, manifest: BackupManifest): Promise<BackupTable[]> {
  await requireThisRelease(client, 'The backup', manifest.migrations);
  const tables = await readBackupTables(client);
  const describe = (list: { name: string; columns: string[] }[]) =>
    list.map(({ name, columns }) => `${name} (${columns.join(', ')})`).toSorted();
  if (!areEqual(describe(tables), describe(manifest.tables)))
    throw new CommandError('The tables and columns of the database differ from those of the backup.');
  return tables;
}

/**
 * @param what the file that must have been written by this release, as in "The backup"
 * @param executed the migrations of the database from which it was written, sorted by name
 * @throws CommandError if another release wrote the file, or if the database is not migrated to this release
 */
export async function requireThisRelease(client: Client, what: string, executed: readonly string[]): Promise<void> {
  const release = migrations.map(({ name }) => name).toSorted();
  if (!areEqual(executed, release))
    throw new CommandError(`${what} belongs to another release: its last migration is ${executed.at(-1)}.`);
  const own = await readMigrationNames(client);
  if (!areEqual(own, release))
    throw new CommandError(`The database is not migrated to this release: its last migration is ${own.at(-1)}.`);
}

async function compareRows(client: Client, table: BackupTable, manifest: BackupManifest): Promise<string[]> {
  const expected = manifest.tables.find(({ name }) => name === table.name)!;
  const { rows, sha256 } = await computeTableChecksum(client, table);
  if (rows !== expected.rows) return [`${table.name} has ${rows} rows instead of ${expected.rows}`];
  return sha256 === expected.sha256 ? [] : [`${table.name} has other rows than the backup`];
}

/** Checks that a sequence has reached the highest ID that it has assigned, and its value in the backup. */
async function compareSequence(
  client: Client,
  { name, table, column, last }: DatabaseSequence,
  manifest: BackupManifest,
): Promise<string[]> {
  const recorded = manifest.sequences.find((sequence) => sequence.name === name);
  const expected = BigInt(recorded?.last ?? 0);
  const highest = table === null ? 0n : await findHighestId(client, name, table, column!);
  const minimum = expected > highest ? expected : highest;
  return BigInt(last ?? 0) >= minimum ? [] : [`${name} is at ${last ?? 'its start'} instead of ${minimum}`];
}

/** Rows of a Clinic that was moved here have IDs of another range, which this sequence never assigns. */
async function findHighestId(client: Client, sequence: string, table: string, column: string): Promise<bigint> {
  const id = quoteName({ name: column });
  const { rows } = await client.query<{ highest: string | null }>(
    `select max(${id})::text as highest from ${quoteName({ name: table })} ${joinAssignedIds(id)}`,
    [quoteName({ name: sequence })],
  );
  return BigInt(rows[0]!.highest ?? 0);
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.join('\n') === other.join('\n');
}
