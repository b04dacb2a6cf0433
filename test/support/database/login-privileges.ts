import pg from 'pg';
import { DATABASE_LOGINS, type LoginName } from '../../../src/shared/persistence/tenancy/logins.js';
import { toLoginUrl } from './test-database.js';

/* Tries with a login what it may do: every verb on every table, and every call of a function that runs as its owner. */

export const VERBS = ['select', 'insert', 'update', 'delete', 'truncate'] as const;
type Verb = (typeof VERBS)[number];

/** SQLSTATE insufficient_privilege. */
const DENIED = '42501';

type Table = { name: string; columns: string[] };

/** Lists the tables of the service and of the queue. Monthly partitions have names that depend on the time. */
export async function listTables(superuser: pg.Client): Promise<Table[]> {
  const { rows } = await superuser.query<Table>(`
    select case nspname when 'public' then relname else nspname || '.' || relname end as name,
      array(select attname::text from pg_attribute where attrelid = pg_class.oid and attnum > 0 and not attisdropped
        and attgenerated = '' order by attnum) as columns
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname in ('public', 'pgboss') and relkind in ('r', 'p', 'v', 'm') and relname !~ '_\\d{6,8}$' order by 1`);
  return rows;
}

/** Lists the functions that run as the owner of the tables. The functions of triggers cannot be called. */
export async function listOwnerFunctions(superuser: pg.Client): Promise<string[]> {
  const { rows } = await superuser.query<{ name: string }>(`
    select oid::regprocedure::text as name from pg_proc
    where prosecdef and prorettype <> 'trigger'::regtype and pronamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
    order by 1`);
  return rows.map(({ name }) => name);
}

/** Lists the trigger functions that run as the owner of the tables and that a role of the service could use. */
export async function listUsableTriggerFunctions(superuser: pg.Client): Promise<{ name: string; role: string }[]> {
  const { rows } = await superuser.query<{ name: string; role: string }>(`
    select proname as name, rolname as role from pg_proc cross join pg_roles
    where prosecdef and prorettype = 'trigger'::regtype and pronamespace = 'public'::regnamespace
      and rolname like 'scheduling\\_%' and has_function_privilege(pg_roles.oid, pg_proc.oid, 'execute') order by 1, 2`);
  return rows;
}

/** Lists privileges of roles on tables, or on columns, whose row-level security has no policy for the role and the verb. */
export async function listPrivilegesWithoutPolicy(superuser: pg.Client): Promise<object[]> {
  const { rows } = await superuser.query<object>(`
    select distinct relname as table, rolname as role, privilege_type as verb
    from pg_class cross join pg_roles
      cross join (values ('SELECT', 'r'), ('INSERT', 'a'), ('UPDATE', 'w'), ('DELETE', 'd')) as verbs (privilege_type, command)
    where relrowsecurity and relnamespace = 'public'::regnamespace and rolname like 'scheduling\\_%'
      and (has_table_privilege(pg_roles.oid, pg_class.oid, privilege_type)
        or privilege_type <> 'DELETE' and has_any_column_privilege(pg_roles.oid, pg_class.oid, privilege_type))
      and not exists (
        select from pg_policy where polrelid = pg_class.oid and polcmd in ('*', command)
          and (pg_roles.oid = any(polroles) or 0 = any(polroles)))
    order by 1, 2, 3`);
  return rows;
}

/** Lists all roles of the service, including logins. */
export async function listRoles(superuser: pg.Client): Promise<string[]> {
  const { rows } = await superuser.query<{ rolname: string }>(
    `select rolname from pg_roles where rolname like 'scheduling\\_%' order by 1`,
  );
  return rows.map(({ rolname }) => rolname);
}

/** A connection of a login, which tries statements and undoes them. */
export class LoginProbe {
  private constructor(private readonly client: pg.Client) {}

  static async connect(url: string, name: LoginName): Promise<LoginProbe> {
    const client = new pg.Client({ connectionString: toLoginUrl(url, DATABASE_LOGINS[name].role) });
    await client.connect();
    return new LoginProbe(client);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** Returns those of the given roles that the login can take on. */
  async findRoles(roles: readonly string[]): Promise<string[]> {
    const allowed: string[] = [];
    for (const role of roles) {
      const { current } = await this.readLogin();
      if (role !== current && (await this.isAllowed(`set local role ${role}`))) allowed.push(role);
    }
    return allowed;
  }

  /** Returns the verbs that a role may use on a table; undefined for the login itself. */
  async findVerbs({ name, columns }: Table, role: string | undefined): Promise<Verb[]> {
    const verbs: Verb[] = [];
    for (const verb of VERBS) {
      const attempts = columns.map((column) => SAMPLES[verb](name, column));
      for (const attempt of new Set(attempts))
        if (await this.isAllowed(attempt, role)) {
          verbs.push(verb);
          break;
        }
    }
    return verbs;
  }

  /** Whether a role may call a function; undefined for the login itself. */
  async mayCall(signature: string, role: string | undefined): Promise<boolean> {
    const values = /\((.*)\)$/.exec(signature)![1]!.split(',').filter(Boolean);
    const name = signature.slice(0, signature.indexOf('('));
    return this.isAllowed(`explain select * from ${name}(${values.map((type) => `null::${type}`).join(', ')})`, role);
  }

  private async readLogin(): Promise<{ current: string }> {
    return (await this.client.query<{ current: string }>('select session_user as current')).rows[0]!;
  }

  /** Whether the server refuses a statement for lack of a privilege. Other errors come after that check. */
  private async isAllowed(statement: string, role?: string): Promise<boolean> {
    await this.client.query('begin');
    try {
      if (role !== undefined) await this.client.query(`set local role ${role}`);
      await this.client.query(statement);
      return true;
    } catch (error) {
      const { code, message } = error as pg.DatabaseError;
      if (code !== DENIED) throw error;
      // The default of a column can call a function. That is checked after the privilege on the table.
      return statement.startsWith('explain insert') && message.startsWith('permission denied for function');
    } finally {
      await this.client.query('rollback');
    }
  }
}

/** Statements that need the privilege, on the table or on a column, and change nothing. */
const SAMPLES: Record<Verb, (table: string, column: string) => string> = {
  select: (table) => `explain select 1 from ${table}`,
  insert: (table) => `explain insert into ${table} default values`,
  update: (table, column) => `explain update ${table} set "${column}" = default`,
  delete: (table) => `explain delete from ${table}`,
  truncate: (table) => `truncate ${table}`,
};
