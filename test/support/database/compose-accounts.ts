import { readFileSync } from 'node:fs';
import pg from 'pg';
import { parse } from 'yaml';

/** The values of the variables that docker-compose.yml reads from the shell. */
const SHELL: Record<string, string> = {
  JWT_SECRET: 'a secret that is only used by tests!!',
  POSTGRES_PASSWORD: 'postgres',
};
/** All other variables are passwords of accounts. */
const toPassword = (variable: string) => SHELL[variable] ?? `password of ${variable}`;

type ComposeFile = {
  services: Record<string, { environment?: Record<string, string> }>;
  configs: Record<string, { content: string }>;
};

const read = (file: string) => parse(readFileSync(file, 'utf8'), { merge: true }) as ComposeFile;
const { services, configs } = read('docker-compose.yml');

/** Replaces `${NAME:?message}` in the same way as Compose. In a URL, the value is percent-encoded. */
function interpolate(value: string): string {
  const encode = value.startsWith('postgres:') ? encodeURIComponent : String;
  return value.replaceAll(/\$\{(\w+):\?[^}]+\}/g, (_, name: string) => encode(toPassword(name)));
}

/**
 * Returns the environment of a service of docker-compose.yml.
 *
 * @param serverUrl the server that takes the place of the service "postgres"
 * @param overlays further Compose files
 */
export function composeEnvironment(
  service: string,
  serverUrl: string,
  overlays: readonly string[] = [],
): Record<string, string> {
  const { hostname, port } = new URL(serverUrl);
  const environments = [services, ...overlays.map((file) => read(file).services)].map(
    (one) => one[service]?.environment,
  );
  const entries = Object.entries(Object.assign({}, ...environments) as Record<string, string>).map(([name, given]) => {
    const value = interpolate(given);
    if (!value.startsWith('postgres:')) return [name, value] as const;
    return [name, Object.assign(new URL(value), { hostname, port }).href] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Does on an empty server what the service "postgres" of docker-compose.yml does at its first start: creates the
 * database, and runs the script with the accounts as a superuser.
 */
export async function createComposeAccounts(serverUrl: string): Promise<string> {
  const environment = composeEnvironment('postgres', serverUrl);
  const database = environment['POSTGRES_DB']!;
  await execute(serverUrl, `create database ${database}`);
  const url = Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
  await execute(url, toPlainSql(configs['accounts']!.content, environment));
  return url;
}

/** Replaces the variables of psql with their values. */
function toPlainSql(script: string, environment: Record<string, string>): string {
  const variables = new Map(
    [...script.matchAll(/^\\getenv (\w+) (\w+)$/gm)].map(([, name, from]) => [name!, environment[from!]!]),
  );
  return script
    .replaceAll(/^\\getenv .*$/gm, '')
    .replaceAll(/:'(\w+)'/g, (_, name: string) => pg.escapeLiteral(variables.get(name)!));
}

async function execute(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
