import type { DatabaseEnvironment } from '../../config/env.js';
import { DATABASE_LOGINS, type LoginName } from './logins.js';

type PostgresqlEnvironment = Extract<DatabaseEnvironment, { kind: 'postgresql' }>;

/**
 * The login role of a service with one login (migration "isolation"). To access tenant data, a transaction must set
 * another role.
 */
export const SHARED_LOGIN_ROLE = 'scheduling_app';

/** Returns the role that the connections of a part of the service have outside of transactions. */
export function getLoginRole({ logins }: PostgresqlEnvironment, name: LoginName): string {
  return logins === undefined ? SHARED_LOGIN_ROLE : DATABASE_LOGINS[name].role;
}

/** Returns the database URL for a part of the service. Its connections always have the role of that part's login. */
export function getLoginUrl(database: PostgresqlEnvironment, name: LoginName): string {
  const { url, logins } = database;
  return withLoginRole((name === 'requests' ? undefined : logins?.[name]) ?? url, getLoginRole(database, name));
}

/**
 * Returns a database URL whose connections always use a login role. Otherwise, a login as the table owner, as in a
 * trial installation, would bypass row-level security.
 */
export function withLoginRole(url: string, role: string): string {
  return new URL(url).username === role ? url : withConnectionOptions(url, `-c role=${role}`);
}

/** Adds command-line options to a database URL and keeps the options that the URL already has. */
export function withConnectionOptions(url: string, options: string): string {
  const address = new URL(url);
  const existing = address.searchParams.get('options');
  address.searchParams.set('options', existing === null ? options : `${existing} ${options}`);
  return address.href;
}
