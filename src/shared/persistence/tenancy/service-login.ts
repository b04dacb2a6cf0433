/** The service's login role (migration "isolation"). To access tenant data, a transaction must set another role. */
export const SERVICE_LOGIN_ROLE = 'scheduling_app';

/**
 * Returns a database URL whose connections always use the service's role. Otherwise, a login as the table owner, as in
 * a trial installation, would bypass row-level security.
 */
export function withServiceRole(url: string): string {
  return new URL(url).username === SERVICE_LOGIN_ROLE
    ? url
    : withConnectionOptions(url, `-c role=${SERVICE_LOGIN_ROLE}`);
}

/** Adds command-line options to a database URL and keeps the options that the URL already has. */
export function withConnectionOptions(url: string, options: string): string {
  const address = new URL(url);
  const existing = address.searchParams.get('options');
  address.searchParams.set('options', existing === null ? options : `${existing} ${options}`);
  return address.href;
}
