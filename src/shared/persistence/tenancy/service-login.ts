import type { Orm } from '../driver/orm.js';

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

/**
 * The service's connections have another role than the service's login role, so row-level security may not apply to
 * them.
 */
export class WrongLoginError extends Error {
  constructor(role: string) {
    super(
      `The connections of DATABASE_URL have the role "${role}" instead of ${SERVICE_LOGIN_ROLE}. Behind a pooler that drops the ` +
        `start-up parameter "options", it must log in as ${SERVICE_LOGIN_ROLE}.`,
    );
  }
}

/** @throws WrongLoginError if the server has not applied the options that `withServiceRole` adds */
export async function requireServiceLogin(orm: Orm): Promise<void> {
  const statement = 'select current_user as "role"';
  const [login] = (await orm.em.fork().getConnection().execute<object[]>(statement)) as [{ role: string }];
  if (login.role !== SERVICE_LOGIN_ROLE) throw new WrongLoginError(login.role);
}
