import pg from 'pg';
import { explainOwnerErrors } from '../../ops/index.js';
import { readEnvironmentWithoutKeys } from '../../shared/config/command-environment.js';
import { MultiHostClient } from '../../shared/persistence/index.js';
import { parseCommandLine, printDatabase, printLine } from '../command-line.js';
import { CommandError } from '../command-error.js';
import { runCommand } from '../run-command.js';
import { quoteName } from './copy.js';

/**
 * Makes the text format of rows independent of server settings and disables timeouts. With `row_security` off,
 * PostgreSQL reports an error instead of omitting rows if the role cannot read all rows in a table.
 */
const SESSION_SETTINGS = `
  set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'iso_8601'; set timezone = 'UTC';
  set bytea_output = 'hex'; set extra_float_digits = 1; set search_path = public; set row_security = off;
  set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0`;

/**
 * Runs `work` in a single transaction as the table owner (MIGRATION_DATABASE_URL).
 *
 * @throws CommandError if the database is embedded
 */
export async function inOwnerTransaction<T>(begin: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { database } = readEnvironmentWithoutKeys();
  if (database.kind === 'embedded')
    throw new CommandError(
      `The embedded database needs no command for backups: stop the service and copy ${database.dataDir}.`,
    );
  const client = new MultiHostClient({ connectionString: database.migrationUrl, application_name: 'backup' });
  // A lost connection also rejects the statement that waits for it. Without a listener, the process would end at once.
  client.on('error', () => undefined);
  await explainOwnerErrors(database, () => client.connect());
  try {
    await client.query(SESSION_SETTINGS);
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } finally {
    // If the transaction was not committed, the server rolls it back.
    await client.end();
  }
}

/** SQL that begins a read-only transaction on a snapshot of the database. */
export const BEGIN_SNAPSHOT = 'begin isolation level repeatable read, read only';

/**
 * SQL that begins a read-only transaction on a snapshot, in which no migration changes the tables and retention drops no
 * partition of the audit trail. As in pg_dump, the lock comes first: it takes no snapshot, and the rows of a partition
 * that is dropped between a snapshot and its lock are missing.
 */
export function beginLockedSnapshot(tables: readonly { name: string }[]): string {
  return `${BEGIN_SNAPSHOT}; lock table ${tables.map(quoteName).join(', ')} in access share mode`;
}

/** Runs a backup command whose only argument is a directory. Prints the result in one line, or one line per error. */
export async function runBackupCommand(help: string, work: (directory: string) => Promise<string>): Promise<void> {
  await runCommand(async () => {
    const [directory, ...rest] = parseCommandLine(help, {}, 2).positionals;
    if (directory === undefined || rest.length > 0) throw new CommandError('Name one directory.');
    printDatabase(readEnvironmentWithoutKeys().database);
    printLine(await work(directory));
  });
}
