import { z } from 'zod';
import { parseDatabaseUrl, normaliseDatabaseUrl, type DatabaseHost } from './database-address.js';
import { declareVariables } from './declared-variables.js';

/**
 * The database that the service uses (`DATABASE_URL`, `DATA_DIR`). An in-memory embedded database can start from a
 * template, a tar archive of a migrated data directory, which makes running the migrations unnecessary.
 */
export type DatabaseEnvironment =
  | { kind: 'embedded'; dataDir: string; template?: Blob }
  | {
      kind: 'postgresql';
      /** Normalised by `normaliseDatabaseUrl`. */
      url: string;
      /** The URL for the role that owns the tables and runs the migrations. */
      migrationUrl: string;
      /** The URL for the queue's connections. Absent: `url`. */
      queueUrl?: string;
      /** All hosts listed in the URLs. */
      hosts: readonly DatabaseHost[];
      poolSize: number;
      migrateOnStart: boolean;
    };

const databaseUrl = z.string().transform((text, context) => {
  try {
    return normaliseDatabaseUrl(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

/** The environment variables for the database connection. */
export const databaseVariables = declareVariables('Database', {
  DATABASE_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'URL of PostgreSQL, with one host or several. Absent: an embedded database under `DATA_DIR`, migrated at start, with a demonstration when it is empty.',
  }),
  MIGRATION_DATABASE_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'The same database as the owner of the tables, for `migrate`, `backup` and `restore`. Default: `DATABASE_URL`.',
  }),
  QUEUE_DATABASE_URL: databaseUrl.optional().meta({
    secret: true,
    description:
      'The same database for the connections of the queue. Needed only behind a pooler that drops the start-up parameter `options`. Default: `DATABASE_URL`.',
  }),
  DATABASE_POOL_SIZE: z.coerce
    .number({ error: 'must be a whole number from 1 to 200' })
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Connections of one instance, 1 to 200. The queue has 4 more.'),
  MIGRATE_ON_START: z
    .stringbool({ error: 'must be true or false' })
    .default(false)
    .describe(
      '`true`: migrate PostgreSQL at start. Instances that start at the same time migrate one after the other. Default: `false`.',
    ),
  DATA_DIR: z.string().default('.data').describe('Directory of the embedded database; `memory:` keeps nothing.'),
});

type DatabaseVariables = z.output<z.ZodObject<typeof databaseVariables>>;

export function toDatabaseEnvironment(given: DatabaseVariables): DatabaseEnvironment {
  const { DATABASE_URL: url, MIGRATION_DATABASE_URL: owner, QUEUE_DATABASE_URL: queueUrl, DATA_DIR: dataDir } = given;
  if (url === undefined) return { kind: 'embedded', dataDir };
  return {
    kind: 'postgresql',
    url,
    migrationUrl: owner ?? url,
    ...(queueUrl === undefined ? {} : { queueUrl }),
    hosts: [url, owner, queueUrl].flatMap((address) => (address === undefined ? [] : parseDatabaseUrl(address).hosts)),
    poolSize: given.DATABASE_POOL_SIZE,
    migrateOnStart: given.MIGRATE_ON_START,
  };
}
