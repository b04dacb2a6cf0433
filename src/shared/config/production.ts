import {
  toHttpTarget,
  findPlaintextProblem,
  toPostgresqlTarget,
  normaliseHost,
  type PlaintextHosts,
} from './transport-security.js';

/* The rules for environment variables that apply only in production. */

type ProductionVariables = {
  NODE_ENV?: string | undefined;
  PLAINTEXT_HOSTS: readonly string[];
  JWT_AUDIENCE?: string | undefined;
  JWT_ISSUER?: string | undefined;
  JWT_JWKS_URL?: string | undefined;
  DATABASE_URL?: string | undefined;
  DATA_DIR?: string | undefined;
  DATABASE_REMINDERS_URL?: string | undefined;
  DATABASE_AUDIT_URL?: string | undefined;
  DATABASE_JOBS_URL?: string | undefined;
  MIGRATION_DATABASE_URL?: string | undefined;
  QUEUE_DATABASE_URL?: string | undefined;
  DATABASE_REPLICA_URL?: string | undefined;
  VAULT_ADDR?: string | undefined;
};

const REQUIRED_VARIABLES = ['JWT_AUDIENCE', 'JWT_ISSUER'] as const;
const REQUIRED_MESSAGE =
  'must be set with NODE_ENV=production or JWT_JWKS_URL: without it, tokens for other applications would be accepted';

const DESTINATIONS = [
  ['JWT_JWKS_URL', toHttpTarget],
  ['DATABASE_URL', toPostgresqlTarget],
  ['DATABASE_REMINDERS_URL', toPostgresqlTarget],
  ['DATABASE_AUDIT_URL', toPostgresqlTarget],
  ['DATABASE_JOBS_URL', toPostgresqlTarget],
  ['MIGRATION_DATABASE_URL', toPostgresqlTarget],
  ['QUEUE_DATABASE_URL', toPostgresqlTarget],
  ['DATABASE_REPLICA_URL', toPostgresqlTarget],
  ['VAULT_ADDR', toHttpTarget],
] as const;

/**
 * Whether the rules for production apply. A key set implies production, because its identity provider also issues
 * tokens for other applications.
 */
export function isProduction({ NODE_ENV, JWT_JWKS_URL }: ProductionVariables): boolean {
  return NODE_ENV === 'production' || JWT_JWKS_URL !== undefined;
}

export function toPlaintextHosts(values: ProductionVariables): PlaintextHosts {
  return isProduction(values) ? values.PLAINTEXT_HOSTS.map(normaliseHost) : 'all';
}

/** Lists violations of the production rules as [variable, message] pairs. Skips variables that are already invalid. */
export function findProductionProblems(values: ProductionVariables, invalid: ReadonlySet<unknown>): [string, string][] {
  if (!isProduction(values)) return [];
  const missing = REQUIRED_VARIABLES.filter((name) => values[name] === undefined);
  return [
    ...missing.map((name): [string, string] => [name, REQUIRED_MESSAGE]),
    ...findMissingDatabase(values, invalid),
    ...findPlaintextProblems(values, invalid),
  ];
}

/** Without this rule, an instance whose DATABASE_URL is empty by mistake would store data that is lost with its container. */
function findMissingDatabase(values: ProductionVariables, invalid: ReadonlySet<unknown>): [string, string][] {
  const { NODE_ENV, DATABASE_URL: url, DATA_DIR: dataDir } = values;
  if (NODE_ENV !== 'production' || url !== undefined || dataDir !== undefined || invalid.has('DATABASE_URL')) return [];
  return [['DATABASE_URL', 'must be set with NODE_ENV=production, or DATA_DIR for an embedded database']];
}

function findPlaintextProblems(values: ProductionVariables, invalid: ReadonlySet<unknown>): [string, string][] {
  return DESTINATIONS.flatMap(([name, destinationOf]): [string, string][] => {
    const url = values[name];
    if (url === undefined || invalid.has(name)) return [];
    const problem = findPlaintextProblem(destinationOf(url), toPlaintextHosts(values));
    return problem === undefined ? [] : [[name, problem]];
  });
}
