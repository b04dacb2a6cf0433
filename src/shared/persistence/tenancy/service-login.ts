/** The role that the service works as (migration "isolation"): it has no rights until a transaction takes on those of another. */
export const SERVICE_LOGIN = 'scheduling_app';

/**
 * The address of the database, for connections that work as the service whatever they log in as: for trying out, that
 * may be the owner of the tables, to whom no rule would apply.
 */
export function withoutRights(url: string): string {
  return new URL(url).username === SERVICE_LOGIN ? url : withOptions(url, `-c role=${SERVICE_LOGIN}`);
}

/** The address of the database with settings for its connections, beside those that it has already. */
export function withOptions(url: string, options: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  address.searchParams.set('options', given === null ? options : `${given} ${options}`);
  return address.href;
}
