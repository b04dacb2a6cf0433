/** The login role of the service (migration "isolation"). It has no privileges until a transaction sets another role. */
export const SERVICE_LOGIN_ROLE = 'scheduling_app';

/**
 * Returns the URL of the database for connections that always have the service's role. Without it, a login as the owner
 * of the tables, as in a trial installation, would bypass row-level security.
 */
export function withServiceRole(url: string): string {
  return new URL(url).username === SERVICE_LOGIN_ROLE
    ? url
    : withConnectionOptions(url, `-c role=${SERVICE_LOGIN_ROLE}`);
}

/** Adds command-line options to the URL of the database, in addition to those that it already has. */
export function withConnectionOptions(url: string, options: string): string {
  const address = new URL(url);
  const existing = address.searchParams.get('options');
  address.searchParams.set('options', existing === null ? options : `${existing} ${options}`);
  return address.href;
}
