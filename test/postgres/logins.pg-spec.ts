import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { createApplication } from '../../src/app.setup.js';
import { AuditSealer } from '../../src/audit/index.js';
import { describeStartupError } from '../../src/ops/index.js';
import type { DatabaseEnvironment } from '../../src/shared/config/env.js';
import { DATABASE_LOGINS, SHARED_LOGIN_ROLE, type LoginName } from '../../src/shared/persistence/index.js';
import {
  listOwnerFunctions,
  listPrivilegesWithoutPolicy,
  listRoles,
  listTables,
  listUsableTriggerFunctions,
  LoginProbe,
  VERBS,
} from '../support/database/login-privileges.js';
import {
  createTestDatabase,
  toLoginUrl,
  withSeparateLogins,
  type TestDatabase,
} from '../support/database/test-database.js';
import { expectJobsToSucceed, expectReminderAndSeal } from '../support/operations/service-work.js';
import { TestApp, testEnvironment } from '../support/app/test-app.js';

/*
 * Tests the logins for requests, reminders, the audit trail and other jobs: what each may do at most, that the service
 * works with them, and that it refuses others.
 */

type PostgresqlEnvironment = Extract<DatabaseEnvironment, { kind: 'postgresql' }>;
type Privileges = Partial<Record<LoginName, string>>;

/**
 * The privileges of each login on each table, with the roles that it can take on: select, insert, update, delete. Truncate
 * is for the owner alone. A new table needs an entry here. Row-level security restricts rows further.
 */
const MAY: Record<string, Privileges> = {
  administrator_access: { requests: 'SIU', jobs: 'SU' },
  audit_entry: { requests: 'SI', audit: 'SI', jobs: 'I' },
  audit_entry_default: { requests: 'S' },
  audit_pending_command: { audit: 'SD' },
  audit_retirement: { requests: 'S', audit: 'S' },
  audit_seal: { requests: 'S', audit: 'SI' },
  audit_unsealed: { requests: 'S', audit: 'SD' },
  book: { requests: 'SIUD', reminders: 'S', jobs: 'SD' },
  calendar_link: { requests: 'SIUD', jobs: 'SD' },
  care_provider: { requests: 'SIUD', reminders: 'S', jobs: 'SD' },
  client: { requests: 'SIUD', reminders: 'S', jobs: 'SD' },
  client_assignment: { requests: 'SIUD', jobs: 'SD' },
  clinic: { requests: 'SIU', reminders: 'S', jobs: 'S' },
  clinic_move: { requests: 'S', reminders: 'S', audit: 'S', jobs: 'S' },
  design_plan: { requests: 'SIUD', jobs: 'SD' },
  design_plan_revision: { requests: 'SIUD', jobs: 'SD' },
  encryption_key_store: { requests: 'SI' },
  erasure: { requests: 'SIU', jobs: 'SU' },
  hidden_session: { requests: 'SIU', jobs: 'SIUD' },
  homework: { requests: 'SIUD', reminders: 'S', jobs: 'SD' },
  id_range: {},
  idempotency_key: { requests: 'SIU', jobs: 'SD' },
  instance: { requests: 'SIUD' },
  legal_hold: { requests: 'SIU', jobs: 'SD' },
  opt_out_link: { requests: 'S', reminders: 'I', jobs: 'SD' },
  'pgboss.bam': { reminders: 'SIUD' },
  'pgboss.job': { reminders: 'SIUD', jobs: 'SD' },
  'pgboss.job_common': { reminders: 'SIUD' },
  'pgboss.job_dependency': { reminders: 'SIUD' },
  'pgboss.queue': { requests: 'S', reminders: 'SIUD' },
  'pgboss.queue_stats': { reminders: 'SIUD' },
  'pgboss.schedule': { reminders: 'SIUD' },
  'pgboss.subscription': { reminders: 'SIUD' },
  'pgboss.version': { reminders: 'SIUD' },
  'pgboss.warning': { reminders: 'SIUD' },
  rate_limit_count: { requests: 'SIUD' },
  reminder: { requests: 'SIUD', reminders: 'SU', jobs: 'SUD' },
  reminder_preference: { requests: 'SIUD', reminders: 'SIU', jobs: 'SD' },
  reminder_replanning: { requests: 'SI', reminders: 'SUD', jobs: 'SID' },
  removed_homework: { requests: 'SI', jobs: 'SID' },
  removed_record: { requests: 'S', audit: 'SD', jobs: 'SD' },
  removed_session: { requests: 'S', jobs: 'SID' },
  retention_setting: { requests: 'SI', jobs: 'SD' },
  revoked_token: { requests: 'SIU', jobs: 'SD' },
  revoked_token_holder: { requests: 'SIU', jobs: 'SD' },
  schema_migration: { requests: 'S' },
  session: { requests: 'SIUD', reminders: 'S', jobs: 'SUD' },
  session_series: { requests: 'SIUD', jobs: 'SUD' },
  zone_data: { requests: 'S', jobs: 'SIU' },
};

/** The functions that run as the owner of the tables, and the logins that may call them. */
const MAY_CALL_AS_OWNER: Record<string, LoginName[]> = {
  'add_audit_partition(text,timestamp with time zone,timestamp with time zone)': [],
  'audit_record_retirement(bigint,integer,bigint,timestamp with time zone,text)': [],
  'client_audit_entries(bigint,timestamp with time zone,bigint,timestamp with time zone,bigint,integer)': ['requests'],
  'client_record_names(bigint)': [],
  'clinic_has_legal_hold(bigint)': ['requests'],
  'complete_audit_seals(integer)': ['audit'],
  'count_clinic_rows(bigint,integer)': ['requests'],
  'current_clinic()': ['requests'],
  'directory_record_exists(text,bigint)': ['requests'],
  'ensure_audit_partitions(timestamp with time zone,timestamp with time zone)': ['audit'],
  'link_records()': ['requests'],
  'prune_audit_seals(integer)': ['audit'],
  'read_revoked_token_holders(xid8)': ['requests'],
  'retire_audit_entries(bigint,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,integer)':
    ['audit'],
  'retire_audit_partition(timestamp with time zone,timestamp with time zone,timestamp with time zone,text)': ['audit'],
};

/** The tables that a login may use without a role: none with rows of a Clinic. */
const MAY_WITHOUT_ROLE: Record<LoginName, RegExp> = {
  requests: /^(encryption_key_store|instance|rate_limit_count|revoked_token|schema_migration|zone_data)$/,
  reminders: /^pgboss\./,
  audit: /^$/,
  jobs: /^$/,
};

function withOneLogin({ logins: _, ...given }: PostgresqlEnvironment): PostgresqlEnvironment {
  return { ...given, url: toLoginUrl(given.url, SHARED_LOGIN_ROLE) };
}

const NAMES = Object.keys(DATABASE_LOGINS) as LoginName[];

let database: TestDatabase;
let environment: PostgresqlEnvironment;
let superuser: pg.Client;
/** Databases of a server share its accounts. */
const suffix = randomBytes(4).toString('hex');
const accounts: string[] = [];
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
  environment = withOneLogin(database.environment as PostgresqlEnvironment);
  superuser = new pg.Client({ connectionString: environment.migrationUrl });
  await superuser.connect();
});
afterAll(async () => {
  for (const account of accounts) await superuser.query(`drop owned by ${account}; drop role ${account}`);
  await superuser.end();
  await database.drop();
});

describe('the privileges', () => {
  let probes: [LoginName, LoginProbe][];
  beforeAll(async () => {
    const connect = async (name: LoginName): Promise<[LoginName, LoginProbe]> => [
      name,
      await LoginProbe.connect(environment.url, name),
    ];
    probes = await Promise.all(NAMES.map(connect));
  });
  afterAll(() => Promise.all(probes.map(([, probe]) => probe.close())));

  it('of a login are those of the roles that it needs', async () => {
    const roles = await listRoles(superuser);
    for (const [name, probe] of probes)
      expect([name, await probe.findRoles(roles)]).toEqual([name, DATABASE_LOGINS[name].actsAs.toSorted()]);
    const taken = NAMES.flatMap((name) => [...DATABASE_LOGINS[name].actsAs]);
    // Each role belongs to one login, and the login of a service with one login has all of them.
    expect(taken.toSorted()).toEqual(roles.filter((role) => !role.startsWith('scheduling_app')));
    expect(new Set(taken).size).toBe(taken.length);
  });

  it('on each table are those of the list', async () => {
    const found: Record<string, Privileges> = {};
    const withoutRole: [LoginName, string][] = [];
    for (const table of await listTables(superuser)) {
      const privileges: Privileges = {};
      for (const [name, probe] of probes) {
        const own = await probe.findVerbs(table, undefined);
        if (own.length > 0) withoutRole.push([name, table.name]);
        const verbs = new Set(own);
        for (const role of DATABASE_LOGINS[name].actsAs)
          for (const verb of await probe.findVerbs(table, role)) verbs.add(verb);
        if (verbs.size > 0)
          privileges[name] = VERBS.filter((verb) => verbs.has(verb))
            .map((verb) => verb[0]!.toUpperCase())
            .join('');
      }
      found[table.name] = privileges;
    }
    expect(found).toEqual(MAY);
    expect(withoutRole.filter(([name, table]) => !MAY_WITHOUT_ROLE[name].test(table))).toEqual([]);
  });

  it('on the monthly partitions of the audit trail are none', async () => {
    const { rows } = await superuser.query<{ name: string }>(
      `select relname as name from pg_class where relname ~ '^audit_entry_\\d{6}$' and relkind = 'r'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { name } of rows)
      for (const [login, probe] of probes)
        for (const role of [undefined, ...DATABASE_LOGINS[login].actsAs])
          expect([name, role, await probe.findVerbs({ name, columns: ['at'] }, role)]).toEqual([name, role, []]);
  });

  it('on a table with row-level security come with a policy, without which statements find no rows and do not fail', async () => {
    expect(await listPrivilegesWithoutPolicy(superuser)).toEqual([]);
  });

  it('on each function that runs as the owner are those of the list', async () => {
    const found: Record<string, LoginName[]> = {};
    for (const signature of await listOwnerFunctions(superuser)) {
      found[signature] = [];
      for (const [name, probe] of probes) {
        const calls: boolean[] = [];
        for (const role of [undefined, ...DATABASE_LOGINS[name].actsAs])
          calls.push(await probe.mayCall(signature, role));
        if (calls.includes(true)) found[signature].push(name);
      }
    }
    expect(found).toEqual(MAY_CALL_AS_OWNER);
  });

  it('on trigger functions that run as the owner are none, because a temporary table could have such a trigger', async () => {
    expect(await listUsableTriggerFunctions(superuser)).toEqual([]);
  });
});

/** Creates an account that is a member of the given roles. Its password is its name. */
async function createAccount(name: string, roles: readonly string[], attributes = ''): Promise<string> {
  const account = `${name}_${suffix}`;
  await superuser.query(`create role ${account} login noinherit ${attributes} password '${account}'`);
  accounts.push(account);
  if (roles.length > 0) await superuser.query(`grant ${roles.join(', ')} to ${account}`);
  return account;
}

describe.each([
  ['a login for each part', (given) => Promise.resolve(withSeparateLogins(given)), 10 + 4 + 4 + 2 + 2],
  [
    'three logins, of which that of requests also runs other jobs',
    async (given) => {
      const { reminders, audit } = withSeparateLogins(given).logins!;
      const account = await createAccount('requests_and_jobs', [
        DATABASE_LOGINS.requests.role,
        DATABASE_LOGINS.jobs.role,
      ]);
      return { ...given, url: toLoginUrl(given.url, account), logins: { reminders: reminders!, audit: audit! } };
    },
    10 + 4 + 4 + 2,
  ],
  ['one login', (given) => Promise.resolve(given), 10 + 4],
] as [string, (given: PostgresqlEnvironment) => Promise<PostgresqlEnvironment>, number][])(
  'with %s, the service',
  (_, toEnvironment, maximum) => {
    let app: TestApp;
    let used: PostgresqlEnvironment;
    beforeAll(async () => {
      const own = await createTestDatabase('postgresql');
      used = await toEnvironment(withOneLogin(own.environment as PostgresqlEnvironment));
      app = await TestApp.startOn({ ...own, environment: used });
    });
    afterAll(() => app.stop());

    it('answers requests, sends a reminder and seals the audit trail', () => expectReminderAndSeal(app));

    it('runs all jobs', () => expectJobsToSucceed(app));

    it(`opens at most ${maximum} connections, each with the login of its part`, async () => {
      const { text } = await app.call('GET', '/metrics');
      const limits = [...text.matchAll(/^scheduling_database_pool_max_connections\{pool="(\w+)"\} (\d+)$/gm)];
      expect(limits.reduce((sum, [, , limit]) => sum + Number(limit), 0)).toBe(maximum);
      expect(text).toContain('scheduling_metrics_complete 1');
      await Promise.all(Array.from({ length: 60 }, () => app.nest.get(AuditSealer).seal()));
      const connections = await app.queryRows(sql<{ login: string; count: number }>`
        select usename as login, count(*)::int as count from pg_stat_activity
        where datname = current_database() and usename <> 'postgres' group by 1 order by 1`);
      const urls = [used.url, ...Object.values(used.logins ?? {})];
      expect(connections.map(({ login }) => login)).toEqual(urls.map((url) => new URL(url).username).toSorted());
      expect(connections.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(maximum);
    });

    it('can take on with the login of requests no role of another login', async () => {
      const client = new pg.Client({ connectionString: used.url });
      await client.connect();
      const allowed: string[] = [];
      for (const role of NAMES.flatMap((name) => DATABASE_LOGINS[name].actsAs)) {
        const code = await client.query(`set role ${role}`).then(
          () => allowed.push(role) && undefined,
          (error: unknown) => (error as pg.DatabaseError).code,
        );
        expect([undefined, '42501']).toContain(code);
      }
      await client.end();
      const names = NAMES.filter((name) => name === 'requests' || used.logins?.[name] === undefined);
      expect(allowed).toEqual(names.flatMap((name) => DATABASE_LOGINS[name].actsAs));
    });
  },
);

describe('refuses to start with one line', () => {
  const refuse = (changes: Partial<PostgresqlEnvironment>) =>
    refuseToStart({ ...withSeparateLogins(environment), ...changes });
  async function refuseToStart(given: PostgresqlEnvironment): Promise<string> {
    const started = createApplication({ ...testEnvironment, database: given });
    const error = await started.then(
      async (app) => {
        await app.close();
        throw new Error('The service has started.');
      },
      (reason: unknown) => reason,
    );
    return describeStartupError(error);
  }
  const createLogin = async (...given: Parameters<typeof createAccount>) =>
    toLoginUrl(environment.url, await createAccount(...given));
  const logins = (name: 'reminders' | 'audit' | 'jobs', url: string) => ({
    logins: { ...withSeparateLogins(environment).logins, [name]: url },
  });

  it('if a login has the privileges of another', async () => {
    const url = await createLogin('both', [DATABASE_LOGINS.audit.role, DATABASE_LOGINS.reminders.role]);
    expect(await refuse(logins('audit', url))).toBe(
      `DATABASE_AUDIT_URL: the login "both_${suffix}" must not be able to take on the role scheduling_app_reminders`,
    );
  });

  it('if the login of requests has all privileges', async () => {
    expect(await refuse({ url: environment.url })).toBe(
      'DATABASE_URL: cannot log in (42501): permission denied to set role "scheduling_app_requests"',
    );
  });

  it('if a login lacks privileges', async () => {
    const url = await createLogin('few', [DATABASE_LOGINS.requests.role]);
    const { reminders, audit } = withSeparateLogins(environment).logins!;
    expect(await refuse({ url, logins: { reminders: reminders!, audit: audit! } })).toBe(
      `DATABASE_URL: the login "few_${suffix}" cannot take on the role scheduling_app_jobs, which it needs`,
    );
  });

  it('if a login has none of the roles, or that of another login', async () => {
    const denied = 'cannot log in (42501): permission denied to set role "scheduling_app_jobs"';
    const url = await createLogin('none', []);
    expect(await refuse(logins('jobs', url))).toBe(`DATABASE_JOBS_URL: ${denied}`);
    const { audit } = withSeparateLogins(environment).logins!;
    expect(await refuse(logins('jobs', audit!))).toBe(`DATABASE_JOBS_URL: ${denied}`);
  });

  it('if a login does not exist, or has another password', async () => {
    for (const account of ['absent_account:secret', 'scheduling_app_audit:wrong']) {
      const [username, password] = account.split(':') as [string, string];
      const url = Object.assign(new URL(environment.url), { username, password }).href;
      expect(await refuse(logins('audit', url))).toBe(
        `DATABASE_AUDIT_URL: cannot log in (28P01): password authentication failed for user "${username}"`,
      );
    }
  });

  it('if a login is mighty', async () => {
    expect(await refuse(logins('reminders', environment.migrationUrl))).toBe(
      'DATABASE_REMINDERS_URL: the login "postgres" must have none of SUPERUSER, BYPASSRLS and CREATEROLE',
    );
    const url = await createLogin('creator', [DATABASE_LOGINS.reminders.role], 'createrole');
    expect(await refuse(logins('reminders', url))).toMatch(/"creator_\w+" must have none of SUPERUSER/);
  });

  it('if a login has privileges without taking on a role', async () => {
    const url = await createLogin('open', [DATABASE_LOGINS.reminders.role]);
    await superuser.query(`grant select (id) on client to open_${suffix}`);
    expect(await refuse(logins('reminders', url))).toBe(
      `DATABASE_REMINDERS_URL: the login "open_${suffix}" must not own or inherit privileges, as it does on "client"`,
    );
  });

  it('if the one login may not take on the role of the service, or has another password', async () => {
    const url = await createLogin('stranger', []);
    expect(await refuseToStart({ ...environment, url })).toBe(
      'DATABASE_URL: cannot log in (42501): permission denied to set role "scheduling_app". ' +
        'Log in as scheduling_app, or with the account that "npm run migrate" uses.',
    );
    const wrong = Object.assign(new URL(environment.url), { password: 'wrong' }).href;
    expect(await refuseToStart({ ...environment, url: wrong })).toBe(
      'DATABASE_URL: cannot log in (28P01): password authentication failed for user "scheduling_app"',
    );
  });

  it('if the server does not answer', async () => {
    const url = Object.assign(new URL(environment.url), { port: '1' }).href;
    const message = /^The database of DATABASE_URL cannot be used \(ECONNREFUSED\): connect ECONNREFUSED [\d.:]+$/;
    expect(await refuseToStart({ ...environment, url })).toMatch(message);
    expect(await refuse({ url })).toMatch(message);
    const audit = Object.assign(new URL(withSeparateLogins(environment).logins!.audit!), { port: '1' }).href;
    expect(await refuse(logins('audit', audit))).toMatch(/^DATABASE_AUDIT_URL: cannot log in \(ECONNREFUSED\)/);
  });

  it('if the database has not been migrated', async () => {
    await superuser.query('alter table schema_migration rename to renamed');
    try {
      for (const given of [environment, withSeparateLogins(environment)])
        expect(await refuseToStart(given)).toMatch(/^The database lacks \d+ migration\(s\): run "npm run migrate"/);
    } finally {
      await superuser.query('alter table renamed rename to schema_migration');
    }
  });
});
