import { z } from 'zod';
import { getDatabaseName, parseDatabaseUrl, normaliseDatabaseUrl, type DatabaseHost } from './database-address.js';
import { declareVariables } from './declared-variables.js';

/**
 * The database that the service uses (`DATABASE_URL`, `DATA_DIR`). An in-memory embedded database can start from a
 * template, a tar archive of a migrated data directory, which makes running the migrations unnecessary.
 */
export type DatabaseEnvironment =
  | { kind: 'embedded'; dataDir: string; template?: Blob }
  | {
      kind: 'postgresql';
      /** A URL in the form that `normaliseDatabaseUrl` returns. */
      url: string;
      /** The URLs of the other logins than the one for requests. A part of the service without its own login uses `url`. */
      logins?: DatabaseLoginUrls;
      /** The URL with the role that owns the tables and runs the migrations. */
      migrationUrl: string;
      /** The URL for the queue's connections; defaults to that of the login of reminders. */
      queueUrl?: string;
      /** A streaming replica for reads, and the maximum age of the data that it may return. */
      replica?: { url: string; maxLag: Temporal.Duration };
      /** All hosts listed in the URLs. */
      hosts: readonly DatabaseHost[];
      poolSize: number;
      migrateOnStart: boolean;
    };

/** URLs of the same database with logins that have the privileges of one part of the service only. */
type DatabaseLoginUrls = Partial<Record<'reminders' | 'audit' | 'jobs', string>>;

const databaseUrl = z.string().transform((text, context) => {
  try {
    return normaliseDatabaseUrl(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

/**
 * Whether a text is a valid maximum age of the replica's data. The replica is compared with its primary every second,
 * so a limit of less than two seconds could not be enforced.
 */
function isReplicaLag(text: string): boolean {
  try {
    const seconds = Temporal.Duration.from(text).total('seconds');
    return seconds >= 2 && seconds <= 600;
  } catch {
    return false;
  }
}

export const DEFAULT_DATA_DIR = '.data';

/** The environment variables for the database connection. */
export const databaseVariables = declareVariables('Database', {
  DATABASE_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'URL of PostgreSQL, with one host or several. Absent: an embedded database under `DATA_DIR`, migrated at start, with a demonstration when it is empty.',
    required: 'with `NODE_ENV=production`, unless `DATA_DIR` is set',
  }),
  DATABASE_REMINDERS_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'The same database with a login that may only dispatch and deliver reminders (deployment.md). Default: `DATABASE_URL`.',
  }),
  DATABASE_AUDIT_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'The same database with a login that may only seal, verify and retire the audit trail (deployment.md). Default: `DATABASE_URL`.',
  }),
  DATABASE_JOBS_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'The same database with a login for retention, erasures, time zone data and expired rows (deployment.md). Default: `DATABASE_URL`.',
  }),
  MIGRATION_DATABASE_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'The same database as the owner of the tables, for `migrate`, `backup`, `restore` and the other commands of the owner (operations.md). Default: `DATABASE_URL`.',
  }),
  QUEUE_DATABASE_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'The same database for the connections of the queue. Needed only behind a pooler that drops the start-up parameter `options`. Default: `DATABASE_REMINDERS_URL`.',
  }),
  DATABASE_REPLICA_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'A streaming replica of `DATABASE_URL`. Lists, weeks, exports and searches of the audit trail read from it if the caller sends a `Consistency-Token`. Absent: everything reads from `DATABASE_URL`.',
  }),
  DATABASE_REPLICA_MAX_LAG: z
    .string()
    .default('PT10S')
    .refine(isReplicaLag, 'must be an ISO 8601 duration from PT2S to PT10M')
    .transform((text) => Temporal.Duration.from(text))
    .describe('ISO 8601 duration from `PT2S` to `PT10M`: a replica whose data is older than this is not used.'),
  DATABASE_POOL_SIZE: z.coerce
    .number({ error: 'must be a whole number from 1 to 200' })
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe(
      'Connections of one instance for requests, and for what has no login of its own, 1 to 200. The queue has 4 more, the logins of reminders, audit trail and jobs 4, 2 and 2. The same number to the replica, if there is one.',
    ),
  MIGRATE_ON_START: z
    .stringbool({ error: 'must be true or false' })
    .default(false)
    .describe(
      '`true`: migrate PostgreSQL at start. Instances that start at the same time migrate one after the other. Default: `false`.',
    ),
  // The default is not applied by the schema, because production needs to know whether the variable is set.
  DATA_DIR: z.string().optional().meta({
    description: 'Directory of the embedded database; `memory:` keeps nothing.',
    default: DEFAULT_DATA_DIR,
  }),
});

/** Variables that name the database of DATABASE_URL with another login. */
const SAME_DATABASE = [
  'MIGRATION_DATABASE_URL',
  'DATABASE_REMINDERS_URL',
  'DATABASE_AUDIT_URL',
  'DATABASE_JOBS_URL',
  'QUEUE_DATABASE_URL',
] as const;

/**
 * Lists, as [variable, message] pairs, the URLs that name another database than DATABASE_URL. Commands and jobs would change
 * that one, for example after a restore. The hosts may differ, because the owner connects past a pooler.
 */
export function findDatabaseProblems(
  { DATABASE_URL: url, ...given }: { DATABASE_URL?: string } & Partial<Record<(typeof SAME_DATABASE)[number], string>>,
  invalid: ReadonlySet<unknown>,
): [string, string][] {
  if (url === undefined || invalid.has('DATABASE_URL')) return [];
  const name = getDatabaseName(url);
  return SAME_DATABASE.flatMap((variable): [string, string][] => {
    const other = given[variable];
    const otherName = other === undefined || invalid.has(variable) ? '' : getDatabaseName(other);
    if (name === '' || otherName === '' || name === otherName) return [];
    return [[variable, `must name the database of DATABASE_URL: it is "${otherName}" instead of "${name}"`]];
  });
}

type DatabaseVariables = z.output<z.ZodObject<typeof databaseVariables>> & { DATA_DIR: string };

export function toDatabaseEnvironment(given: DatabaseVariables): DatabaseEnvironment {
  const { DATABASE_URL: url, MIGRATION_DATABASE_URL: owner, QUEUE_DATABASE_URL: queueUrl, DATA_DIR: dataDir } = given;
  const { DATABASE_REPLICA_URL: replicaUrl, DATABASE_REPLICA_MAX_LAG: maxLag } = given;
  const logins = toLogins(given);
  if (url === undefined) return { kind: 'embedded', dataDir };
  return {
    kind: 'postgresql',
    url,
    ...(Object.keys(logins).length === 0 ? {} : { logins }),
    migrationUrl: owner ?? url,
    ...(queueUrl === undefined ? {} : { queueUrl }),
    ...(replicaUrl === undefined ? {} : { replica: { url: replicaUrl, maxLag } }),
    hosts: [url, ...Object.values(logins), owner, queueUrl, replicaUrl].flatMap((address) =>
      address === undefined ? [] : parseDatabaseUrl(address).hosts,
    ),
    poolSize: given.DATABASE_POOL_SIZE,
    migrateOnStart: given.MIGRATE_ON_START,
  };
}

function toLogins(given: DatabaseVariables): DatabaseLoginUrls {
  const { DATABASE_REMINDERS_URL: reminders, DATABASE_AUDIT_URL: audit, DATABASE_JOBS_URL: jobs } = given;
  return {
    ...(reminders !== undefined && { reminders }),
    ...(audit !== undefined && { audit }),
    ...(jobs !== undefined && { jobs }),
  };
}
