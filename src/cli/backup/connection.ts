import pg from 'pg';
import { describeStartupError } from '../../ops/index.js';
import { readEnvironment } from '../../shared/config/env.js';
import { MultiHostClient } from '../../shared/persistence/index.js';
import { readCommandLine, UsageError } from '../command-line.js';
import { BackupError } from './backup-error.js';

/**
 * What makes the text of rows the same everywhere, and what may not stop a long copy. With `row_security` off,
 * PostgreSQL refuses to read a table of which the role would not see every row, instead of leaving rows out.
 */
const SESSION_SETTINGS = `
  set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'iso_8601'; set timezone = 'UTC';
  set bytea_output = 'hex'; set extra_float_digits = 1; set search_path = public; set row_security = off;
  set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0`;

/** Runs work in one transaction of one connection of the owner (MIGRATION_DATABASE_URL). */
export async function inTransaction<T>(begin: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { database } = readEnvironment();
  if (database.kind === 'embedded')
    throw new BackupError(`The embedded database is backed up by a copy of ${database.dataDir} while nothing runs.`);
  const client = new MultiHostClient({ connectionString: database.migrationUrl, application_name: 'backup' });
  await client.connect();
  try {
    await client.query(SESSION_SETTINGS);
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } finally {
    // Without a commit the server rolls back.
    await client.end();
  }
}

/** All rows as they were at one moment, whoever writes meanwhile. */
export const BEGIN_SNAPSHOT = 'begin isolation level repeatable read, read only';

/** Runs a command: one argument, the directory; one line of outcome, or one for each thing that is wrong. */
export async function runBackupCommand(help: string, work: (directory: string) => Promise<string>): Promise<void> {
  try {
    const [directory, ...rest] = readCommandLine(help, {}, [0, 2]).positionals;
    if (directory === undefined || rest.length > 0) throw new BackupError('Name one directory.');
    process.stdout.write(`${await work(directory)}\n`);
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`);
    process.exitCode = 1;
  }
}

function describeError(error: unknown): string {
  if (error instanceof BackupError || error instanceof UsageError) return error.message;
  if (!(error instanceof pg.DatabaseError) || CONNECTION_FAILURE.test(error.code ?? ''))
    return describeStartupError(error);
  const hint = error.code === '42501' ? ': use a role that owns the tables and bypasses row-level security' : '';
  return `${error.message}${hint}`;
}

/** Wrong password, no such database: answered before there is a connection. */
const CONNECTION_FAILURE = /^(28...|3D000)$/;
