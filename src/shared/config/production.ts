import {
  toHttpDestination,
  findPlaintextProblem,
  toPostgresqlDestination,
  stripBrackets,
  type PlaintextHosts,
} from './transport-security.js';

/* What production demands of the environment, beyond what a developer's machine does. */

type ProductionVariables = {
  NODE_ENV?: string | undefined;
  PLAINTEXT_HOSTS: readonly string[];
  JWT_AUDIENCE?: string | undefined;
  JWT_ISSUER?: string | undefined;
  JWT_JWKS_URL?: string | undefined;
  DATABASE_URL?: string | undefined;
  MIGRATION_DATABASE_URL?: string | undefined;
};

const REQUIRED_VARIABLES = ['JWT_AUDIENCE', 'JWT_ISSUER'] as const;
const REQUIRED_MESSAGE =
  'must be set with NODE_ENV=production or JWT_JWKS_URL: without it, tokens for other applications would be accepted';

const DESTINATIONS = [
  ['JWT_JWKS_URL', toHttpDestination],
  ['DATABASE_URL', toPostgresqlDestination],
  ['MIGRATION_DATABASE_URL', toPostgresqlDestination],
] as const;

/** A key set counts, too: its identity provider issues tokens for other applications. */
function isProduction({ NODE_ENV, JWT_JWKS_URL }: ProductionVariables): boolean {
  return NODE_ENV === 'production' || JWT_JWKS_URL !== undefined;
}

export function toPlaintextHosts(given: ProductionVariables): PlaintextHosts {
  return isProduction(given) ? given.PLAINTEXT_HOSTS.map(stripBrackets) : 'all';
}

/** What is wrong in production, by the names of the variables. Those that are wrong anyway are left out. */
export function findProductionProblems(given: ProductionVariables, wrong: ReadonlySet<unknown>): [string, string][] {
  if (!isProduction(given)) return [];
  const missing = REQUIRED_VARIABLES.filter((name) => given[name] === undefined);
  return [...missing.map((name): [string, string] => [name, REQUIRED_MESSAGE]), ...findPlaintextProblems(given, wrong)];
}

function findPlaintextProblems(given: ProductionVariables, wrong: ReadonlySet<unknown>): [string, string][] {
  return DESTINATIONS.flatMap(([name, destinationOf]): [string, string][] => {
    const url = given[name];
    if (url === undefined || wrong.has(name)) return [];
    const problem = findPlaintextProblem(destinationOf(url), toPlaintextHosts(given));
    return problem === undefined ? [] : [[name, problem]];
  });
}
