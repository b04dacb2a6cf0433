import {
  httpDestination,
  plaintextProblem,
  postgresqlDestination,
  withoutBrackets,
  type PlaintextHosts,
} from './transport-security.js';

/* What production demands of the environment, beyond what a developer's machine does. */

type Given = {
  NODE_ENV?: string | undefined;
  PLAINTEXT_HOSTS: readonly string[];
  JWT_AUDIENCE?: string | undefined;
  JWT_ISSUER?: string | undefined;
  JWT_JWKS_URL?: string | undefined;
  DATABASE_URL?: string | undefined;
  MIGRATION_DATABASE_URL?: string | undefined;
};

const REQUIRED = ['JWT_AUDIENCE', 'JWT_ISSUER'] as const;
const NOT_OURS =
  'must be set with NODE_ENV=production or JWT_JWKS_URL: without it, tokens for other applications would be accepted';

const DESTINATIONS = [
  ['JWT_JWKS_URL', httpDestination],
  ['DATABASE_URL', postgresqlDestination],
  ['MIGRATION_DATABASE_URL', postgresqlDestination],
] as const;

/** A key set counts, too: its identity provider issues tokens for other applications. */
function isProduction({ NODE_ENV, JWT_JWKS_URL }: Given): boolean {
  return NODE_ENV === 'production' || JWT_JWKS_URL !== undefined;
}

export function plaintextHosts(given: Given): PlaintextHosts {
  return isProduction(given) ? given.PLAINTEXT_HOSTS.map(withoutBrackets) : 'all';
}

/** What is wrong in production, by the names of the variables. Those that are wrong anyway are left out. */
export function productionProblems(given: Given, wrong: ReadonlySet<unknown>): [string, string][] {
  if (!isProduction(given)) return [];
  const missing = REQUIRED.filter((name) => given[name] === undefined);
  return [...missing.map((name): [string, string] => [name, NOT_OURS]), ...plaintextProblems(given, wrong)];
}

function plaintextProblems(given: Given, wrong: ReadonlySet<unknown>): [string, string][] {
  return DESTINATIONS.flatMap(([name, destinationOf]): [string, string][] => {
    const url = given[name];
    if (url === undefined || wrong.has(name)) return [];
    const problem = plaintextProblem(destinationOf(url), plaintextHosts(given));
    return problem === undefined ? [] : [[name, problem]];
  });
}
