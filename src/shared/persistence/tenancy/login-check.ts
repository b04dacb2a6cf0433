import type { DatabaseEnvironment } from '../../config/env.js';
import { findRootCause, firstLine } from '../../errors/index.js';
import type { Orm } from '../driver/orm.js';
import type { ParameterisedDriver } from '../driver/parameterised-driver.js';
import { requireCurrentSchema } from '../migrations/migrate.js';
import { findPartsServedByLogins, DATABASE_LOGINS, type LoginName } from './logins.js';
import { SHARED_LOGIN_ROLE } from './service-login.js';

type PostgresqlEnvironment = Extract<DatabaseEnvironment, { kind: 'postgresql' }>;

/** A login of the service does not have exactly the privileges that it needs. */
export class WrongLoginError extends Error {
  constructor(variable: string, problem: string) {
    super(`${variable}: ${problem}`);
  }
}

/** The privileges of a connection. */
type LoginRow = {
  login: string;
  role: string;
  /** Whether the login has an attribute with which it could take on any role. */
  hasPowerfulAttribute: boolean;
  /** The roles of the service that the login can take on. */
  roles: string[];
  /** A table of a Clinic that the login can use without taking on a role. */
  openTable: string | null;
};

const LOGIN_STATEMENT = `
  select session_user as "login", current_user as "role",
    (select rolsuper or rolbypassrls or rolcreaterole from pg_roles where rolname = session_user) as "hasPowerfulAttribute",
    array(select rolname::text from pg_roles where rolname like 'scheduling\\_%' and rolname <> session_user
      and pg_has_role(session_user, oid, 'member') order by 1) as roles,
    (select min(relname) from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity
      and (has_any_column_privilege(session_user, oid, 'select, insert, update, references')
        or has_table_privilege(session_user, oid, 'delete, truncate, trigger')
        or pg_has_role(session_user, relowner, 'member'))) as "openTable"`;

/** SQLSTATE invalid_parameter_value: the role in the start-up parameter does not exist. */
const UNDEFINED_ROLE = '22023';
/** SQLSTATE insufficient_privilege: the login is no member of the role in the start-up parameter. */
const NO_MEMBER = '42501';

/**
 * Checks that the connections of the service have the role of their login and, if there are several logins, that each
 * can take on the roles that it needs and no other. Must precede the check of the schema, which reports a login that may
 * not take on its role as missing migrations.
 *
 * @throws WrongLoginError, or PendingMigrationsError if the roles do not exist yet
 */
export async function requireServiceLogins(orm: Orm, database: PostgresqlEnvironment): Promise<void> {
  const servedParts = findPartsServedByLogins(database);
  if (servedParts === undefined) {
    const { role } = await connectAs(orm, 'requests', SHARED_LOGIN_HINT);
    if (role !== SHARED_LOGIN_ROLE)
      throw new WrongLoginError(DATABASE_LOGINS.requests.variable, describeWrongRole(role, SHARED_LOGIN_ROLE));
    return;
  }
  for (const [name, served] of servedParts) {
    const { variable } = DATABASE_LOGINS[name];
    const problem = findProblem(await connectAs(orm, name), name, served);
    if (problem !== undefined) throw new WrongLoginError(variable, problem);
  }
}

const SHARED_LOGIN_HINT = `. Log in as ${SHARED_LOGIN_ROLE}, or with the account that "npm run migrate" uses.`;

/**
 * Connects with a login and reads its privileges.
 *
 * @param hint follows the message if the login may not take on its role
 * @throws WrongLoginError with the variable of the login if it is missing, has another password, or may not take on its
 * role
 */
async function connectAs(orm: Orm, name: LoginName, hint = ''): Promise<LoginRow> {
  try {
    return await readLogin(orm, name);
  } catch (error) {
    const { code, message, severity } = findRootCause(error);
    // Only errors of the server have a severity. `describeStartupError` describes an unreachable one.
    if (severity === undefined && name === 'requests') throw error;
    if (code === UNDEFINED_ROLE) await requireCurrentSchema(orm);
    const advice = code === NO_MEMBER ? hint : '';
    throw new WrongLoginError(
      DATABASE_LOGINS[name].variable,
      `cannot log in (${code}): ${firstLine(message)}${advice}`,
    );
  }
}

async function readLogin(orm: Orm, name: LoginName): Promise<LoginRow> {
  const driver = orm.em.getDriver() as unknown as ParameterisedDriver;
  const connection = driver.logins.get(name) ?? driver.getConnection();
  const [row] = (await connection.execute<object[]>(LOGIN_STATEMENT)) as [LoginRow];
  return row;
}

function findProblem(
  { login, role, hasPowerfulAttribute, roles, openTable }: LoginRow,
  name: LoginName,
  served: readonly LoginName[],
): string | undefined {
  const expected = DATABASE_LOGINS[name].role;
  if (hasPowerfulAttribute) return `the login "${login}" must have none of SUPERUSER, BYPASSRLS and CREATEROLE`;
  if (openTable !== null)
    return `the login "${login}" must not own or inherit privileges, as it does on "${openTable}"`;
  const needed = served.flatMap((part) => [DATABASE_LOGINS[part].role, ...DATABASE_LOGINS[part].actsAs]);
  const missing = needed.find((one) => one !== login && !roles.includes(one));
  if (missing !== undefined) return `the login "${login}" cannot take on the role ${missing}, which it needs`;
  const excess = roles.find((one) => !needed.includes(one));
  if (excess !== undefined) return `the login "${login}" must not be able to take on the role ${excess}`;
  return role === expected ? undefined : describeWrongRole(role, expected);
}

function describeWrongRole(role: string, expected: string): string {
  return (
    `the connections have the role "${role}" instead of ${expected}. Behind a pooler that drops the start-up parameter ` +
    `"options", the service must log in as ${expected}.`
  );
}
