/** The role that the service works as (migration "isolation"): it has no rights until a transaction takes on those of another. */
export const SERVICE_LOGIN_ROLE = 'scheduling_app';

/**
 * The address of the database, for connections that work as the service whatever they log in as: for trying out, that
 * may be the owner of the tables, to whom no rule would apply.
 */
export function withServiceRole(url: string): string {
  return new URL(url).username === SERVICE_LOGIN_ROLE
    ? url
    : withConnectionOptions(url, `-c role=${SERVICE_LOGIN_ROLE}`);
}

/** The address of the database with settings for its connections, beside those that it has already. */
export function withConnectionOptions(url: string, options: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  address.searchParams.set('options', given === null ? options : `${given} ${options}`);
  return address.href;
}
