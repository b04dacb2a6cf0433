import pg from 'pg';
import { describeCommandFailure } from '../ops/index.js';
import { WrappingUnavailableError } from '../shared/encryption/index.js';
import { isLostConnection } from '../shared/errors/index.js';
import { MigrationDataLossError, NotDistributableError } from '../shared/persistence/index.js';
import { CommandError } from './command-error.js';
import { UsageError } from './command-line.js';

/** Errors whose messages are printed unchanged. */
const SELF_EXPLANATORY_ERRORS = [
  CommandError,
  MigrationDataLossError,
  NotDistributableError,
  UsageError,
  WrappingUnavailableError,
];

/** Advice for errors of PostgreSQL, by their code. */
const HINTS: Readonly<Record<string, string>> = {
  '42501': ': set MIGRATION_DATABASE_URL to a role that owns the tables and bypasses row-level security',
  '42P01': ': run "npm run migrate" first',
  '55P03': ': another transaction uses the table, such as a backup. Run the command again when it has ended.',
};

/** Runs a command. After an error, prints its description to standard error, and the exit code is 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${describeCommandError(error)}\n`);
    process.exitCode = 1;
  }
}

/** Describes an error of a command in one line, or in one line for each invalid variable. */
export function describeCommandError(error: unknown): string {
  if (SELF_EXPLANATORY_ERRORS.some((kind) => error instanceof kind)) return (error as Error).message;
  if (isLostConnection(error)) return 'The connection to the database was lost.';
  if (!(error instanceof pg.DatabaseError)) return describeCommandFailure(error);
  return `${error.message}${HINTS[error.code ?? ''] ?? ''}`;
}
