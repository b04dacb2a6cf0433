import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import pg from 'pg';
import { parseDatabaseUrl } from '../../../src/shared/config/database-address.js';
import type { DatabaseEnvironment } from '../../../src/shared/config/env.js';
import { DATABASE_LOGINS, type LoginName } from '../../../src/shared/persistence/tenancy/logins.js';

declare const TEST_DATABASE: 'embedded' | 'postgresql';

/** The login role of the service on the test server. */
const SERVICE_ACCOUNT = { username: 'scheduling_app', password: 'scheduling_app' };

/** A migrated, empty database for one test file. `TEST_DATABASE` determines its kind. */
export type TestDatabase = { environment: DatabaseEnvironment; drop(): Promise<void> };

export async function createTestDatabase(kind = TEST_DATABASE): Promise<TestDatabase> {
  return kind === 'embedded' ? createEmbeddedDatabase() : createPostgresqlDatabase();
}

async function createEmbeddedDatabase(): Promise<TestDatabase> {
  // The template is migrated only once for all files (embedded.setup.ts), because a migration takes five seconds and
  // loading the template takes one.
  const template = await openAsBlob(process.env['TEST_EMBEDDED_TEMPLATE']!);
  return { environment: { kind: 'embedded', dataDir: 'memory:', template }, drop: async () => undefined };
}

async function createPostgresqlDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env['TEST_SERVER_URL']!;
  const name = `care_${randomBytes(6).toString('hex')}`;
  const nodes = listNodes(serverUrl);
  for (const node of nodes) await onServer(node, `create database ${name} template ${process.env['TEST_TEMPLATE']}`);
  const migrationUrl = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  // As in production, the service's login role owns no tables.
  const service = Object.assign(new URL(migrationUrl), SERVICE_ACCOUNT);
  // In `npm run test:pgbouncer`, the service connects through PgBouncer.
  const pooler = process.env['TEST_POOLER_URL'];
  const url = (pooler === undefined ? service : Object.assign(service, { port: new URL(pooler).port })).href;
  const { hosts } = parseDatabaseUrl(url);
  const environment = { kind: 'postgresql', url, migrationUrl, hosts, poolSize: 10, migrateOnStart: false } as const;
  return {
    // With TEST_LOGINS=separate, the tests run with a login for each part of the service.
    environment: process.env['TEST_LOGINS'] === 'separate' ? withSeparateLogins(environment) : environment,
    drop: async () => {
      for (const node of nodes) await dropDatabase(node, name);
    },
  };
}

type PostgresqlEnvironment = Extract<DatabaseEnvironment, { kind: 'postgresql' }>;

/** Returns the URL of a login of the service, whose password on the test server is its name. */
export function toLoginUrl(url: string, role: string): string {
  return Object.assign(new URL(url), { username: role, password: role }).href;
}

/** Returns the environment of a service that has a login for each of its parts. */
export function withSeparateLogins(environment: PostgresqlEnvironment): PostgresqlEnvironment {
  const urlOf = (name: LoginName) => toLoginUrl(environment.url, DATABASE_LOGINS[name].role);
  const logins = { reminders: urlOf('reminders'), audit: urlOf('audit'), jobs: urlOf('jobs') };
  return { ...environment, url: urlOf('requests'), logins };
}

/** Returns the servers that the database lies on: several with Citus (npm run test:citus). */
function listNodes(serverUrl: string): string[] {
  const nodes = JSON.parse(process.env['TEST_CITUS_NODES'] ?? '[]') as { url: string }[];
  return nodes.length === 0 ? [serverUrl] : nodes.map(({ url }) => url);
}

/** SQLSTATE object_in_use: something is still connected to the database, or connected again. */
const IN_USE = '55006';

/** Citus connects to each database in the background, and again after `force` has ended that connection. */
async function dropDatabase(url: string, name: string, attempts = 5): Promise<void> {
  try {
    await onServer(url, `drop database if exists ${name} with (force)`);
  } catch (error) {
    if (attempts === 1 || (error as { code?: string }).code !== IN_USE) throw error;
    await dropDatabase(url, name, attempts - 1);
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
