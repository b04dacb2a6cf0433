import type { Client } from 'pg';
import { migrations } from '../../migrations/index.js';
import { CommandError } from '../command-error.js';
import { readMigrationNames, readSequences, readTables, type DatabaseSequence, type BackupTable } from './catalog.js';
import { inOwnerTransaction, BEGIN_SNAPSHOT } from './connection.js';
import { readTableContent, quoteIdentifier } from './copy.js';
import { readManifest, type BackupManifest } from './manifest.js';

/**
 * Compares the schema, rows and sequences of the database with a backup.
 *
 * @throws CommandError with one line for each difference
 */
export async function verifyRestore(directory: string): Promise<string> {
  const manifest = readManifest(directory);
  return inOwnerTransaction(BEGIN_SNAPSHOT, (client) => verifyContent(client, manifest));
}

export async function verifyContent(client: Client, manifest: BackupManifest): Promise<string> {
  const tables = await verifySchema(client, manifest);
  const differences: string[] = [];
  for (const table of tables) differences.push(...(await compareRows(client, table, manifest)));
  for (const sequence of await readSequences(client))
    differences.push(...(await compareSequence(client, sequence, manifest)));
  if (differences.length > 0) throw new CommandError(differences.join('\n'));
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  return `${tables.length} tables with ${rows} rows are as they were at ${manifest.takenAt}`;
}

/**
 * Checks that release, migrations, tables and columns match the backup.
 *
 * @returns the tables in the database
 */
export async function verifySchema(client: Client, manifest: BackupManifest): Promise<BackupTable[]> {
  await requireRelease(client, 'The backup', manifest.migrations);
  const tables = await readTables(client);
  const describe = (list: { name: string; columns: string[] }[]) =>
    list.map(({ name, columns }) => `${name} (${columns.join(', ')})`).toSorted();
  if (!areEqual(describe(tables), describe(manifest.tables)))
    throw new CommandError('The tables and columns of the database differ from those of the backup.');
  return tables;
}

/**
 * Checks that something was written by this release, and that the database is migrated to it.
 *
 * @param executed the migrations of its database, sorted by name
 */
export async function requireRelease(client: Client, what: string, executed: readonly string[]): Promise<void> {
  const release = migrations.map(({ name }) => name).toSorted();
  if (!areEqual(executed, release))
    throw new CommandError(`${what} belongs to another release: its last migration is ${executed.at(-1)}.`);
  const own = await readMigrationNames(client);
  if (!areEqual(own, release))
    throw new CommandError(`The database is not migrated to this release: its last migration is ${own.at(-1)}.`);
}

async function compareRows(client: Client, table: BackupTable, manifest: BackupManifest): Promise<string[]> {
  const expected = manifest.tables.find(({ name }) => name === table.name)!;
  const { rows, sha256 } = await readTableContent(client, table);
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
  const id = quoteIdentifier({ name: column });
  const { rows } = await client.query<{ highest: string | null }>(
    `select max(${id})::text as highest from ${quoteIdentifier({ name: table })}
      join pg_sequence on seqrelid = $1::regclass and ${id} between seqmin and seqmax`,
    [quoteIdentifier({ name: sequence })],
  );
  return BigInt(rows[0]!.highest ?? 0);
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.join('\n') === other.join('\n');
}
