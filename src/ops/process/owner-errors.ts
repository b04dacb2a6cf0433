import type { DatabaseEnvironment } from '../../shared/config/env.js';
import { findRootCause, firstLine } from '../../shared/errors/index.js';

/** The login of the table owner cannot be used, or lacks a privilege. */
export class OwnerLoginError extends Error {}

/** Matches the codes for connection failures, unknown hosts, wrong passwords and unknown databases. */
const CONNECTION_FAILURE = /^(ECONN.*|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|08...|28...|3D000)$/;
/** SQLSTATE insufficient_privilege. */
const INSUFFICIENT_PRIVILEGE = '42501';
/** Matches the messages about the roles that migrations create and grant. The roles belong to the server, not to a database. */
const MISSING_ROLE_RIGHT = /^permission denied to (create|alter|grant) role|^must have admin option on role/;

/** Describes an error of a connection with the variable of its URL; returns undefined for any other error. */
export function describeConnectionFailure(error: unknown, variable: string): string | undefined {
  const { code = '', message } = findRootCause(error);
  if (!CONNECTION_FAILURE.test(code)) return undefined;
  return `The database of ${variable} cannot be used (${code}): ${firstLine(message)}`;
}

/**
 * Runs work that uses the login of the table owner. An error does not say from which variable its login comes, so it is
 * described here.
 *
 * @throws OwnerLoginError if the database cannot be used, or the login lacks a privilege
 */
export async function explainOwnerErrors<T>(database: DatabaseEnvironment, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const description = database.kind === 'postgresql' ? describeOwnerError(error, database) : undefined;
    throw description === undefined ? error : new OwnerLoginError(description, { cause: error });
  }
}

function describeOwnerError(
  error: unknown,
  { url, migrationUrl }: DatabaseEnvironment & { kind: 'postgresql' },
): string | undefined {
  const hasOwnVariable = migrationUrl !== url;
  const variable = hasOwnVariable ? 'MIGRATION_DATABASE_URL' : 'DATABASE_URL';
  const { code, message } = findRootCause(error);
  if (code !== INSUFFICIENT_PRIVILEGE) return describeConnectionFailure(error, variable);
  const reason = firstLine(message);
  const failure = `The login of ${variable} may not do this (${code}): ${reason}.`;
  if (MISSING_ROLE_RIGHT.test(reason))
    return `${failure} It needs CREATEROLE and the admin option on the roles scheduling_* (docs/operations.md, "PostgreSQL").`;
  const advice = hasOwnVariable ? 'It must be' : 'Set MIGRATION_DATABASE_URL to';
  return `${failure} ${advice} the owner of the tables (docs/operations.md, "PostgreSQL").`;
}
