import { z } from 'zod';
import { findConsoleProblems, toConsoleSignIn, type ConsoleSignIn } from './console-sign-in.js';
import { listDeclaredRules, listDeclaredVariables } from './declared-variables.js';
import {
  DEFAULT_DATA_DIR,
  findDatabaseProblems,
  toDatabaseEnvironment,
  type DatabaseEnvironment,
} from './database-environment.js';
import {
  findEncryptionProblems,
  toEncryptionEnvironment,
  type EncryptionEnvironment,
  type VaultEnvironment,
} from './encryption-environment.js';
import { serviceVariables } from './environment-variables.js';
import { findProductionProblems, isProduction, toPlaintextHosts } from './production.js';
import { readSecretFiles } from './secrets/secret-files.js';
import { findTimeZoneDataProblem } from '../time/zone-data.js';
import { toTokenEnvironment, type TokenEnvironment } from './token-environment.js';
import { findPlaintextProblem, type ConnectionTarget, type PlaintextHosts } from './transport-security.js';

export { declareRules, declareVariables } from './declared-variables.js';
export { cronVariable, durationVariable } from './environment-variables.js';
export type { ConsoleSignIn, DatabaseEnvironment, EncryptionEnvironment, VaultEnvironment };
export type { ClaimPaths, TokenEnvironment } from './token-environment.js';

/** The maximum number of requests per minute; 0 means no limit. */
export type RateLimits = { caller: number; address: number; 'failed-authentication': number };

/** The validated configuration of the service. docs/configuration.md lists the variables. */
export class Environment {
  readonly host!: string;
  readonly port!: number;
  /** The service's own origin, without a trailing slash. */
  readonly publicUrl!: string;
  /** Origins that CORS allows in addition to `publicUrl`. */
  readonly corsOrigins!: readonly string[];
  /** Proxies (addresses or CIDR blocks) whose `X-Forwarded-For` header is trusted. */
  readonly trustedProxies!: readonly string[];
  readonly rateLimits!: RateLimits;
  /** The maximum number of open connections, per address and in total; 0 means no limit. */
  readonly connectionLimits!: { address: number; all: number };
  /** The maximum number of requests that this instance processes at once. Further requests are answered with 503. */
  readonly maxRequestsAtWork!: number;
  /** Whether the console is served at `/`. */
  readonly console!: boolean;
  /** Settings for signing in to the console with the identity provider; undefined if this sign-in is not configured. */
  readonly consoleSignIn!: ConsoleSignIn | undefined;
  readonly database!: DatabaseEnvironment;
  readonly encryption!: EncryptionEnvironment;
  /** Hosts other than this machine to which connections without TLS are allowed. */
  readonly plaintextHosts!: PlaintextHosts;
  readonly token!: TokenEnvironment;
  /** When due reminders are dispatched: a cron expression that begins with seconds. */
  readonly reminderCron!: string;
  /** When the audit trail is sealed: a cron expression that begins with seconds. */
  readonly auditCron!: string;
  /** Reminders that are later than this are not sent. */
  readonly reminderMaxLateness!: Temporal.Duration;
  /** The unvalidated variables, from which modules read their own variables. */
  readonly rawVariables!: Readonly<Record<string, string | undefined>>;
  readonly logLevel!: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** The environment is invalid, so the service does not start. `lines` has one line for each invalid variable. */
export class InvalidEnvironmentError extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** Lists violations of rules that involve several variables, as [variable, message] pairs. */
function findProblems(values: z.output<typeof serviceVariables>, invalid: ReadonlySet<unknown>): [string, string][] {
  return [
    ...findProductionProblems(values, invalid),
    ...findDatabaseProblems(values, invalid),
    ...findConsoleProblems(values),
    ...findEncryptionProblems(values, isProduction(values)),
  ];
}

/** Variables that require DATABASE_URL, each with the meaning that DATABASE_URL has beside them. */
const NEEDING_DATABASE_URL = [
  ['DATABASE_REPLICA_URL', 'the primary of the replica'],
  ['DATABASE_REMINDERS_URL', 'the login of requests'],
  ['DATABASE_AUDIT_URL', 'the login of requests'],
  ['DATABASE_JOBS_URL', 'the login of requests'],
  ['MIGRATION_DATABASE_URL', 'the login of requests'],
  ['QUEUE_DATABASE_URL', 'the login of requests'],
] as const;

const environment = serviceVariables
  .superRefine((values, context) => {
    if (values.JWT_SECRET !== undefined && values.JWT_JWKS_URL !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['JWT_SECRET'],
        message: 'and JWT_JWKS_URL exclude each other: set one of them',
      });
    }
    if (values.JWT_PREVIOUS_SECRET !== undefined && values.JWT_SECRET === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['JWT_PREVIOUS_SECRET'],
        message: 'needs JWT_SECRET, the secret that replaces it',
      });
    }
    if (values.DATABASE_URL !== undefined && values.JWT_SECRET === undefined && values.JWT_JWKS_URL === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['JWT_SECRET'],
        message:
          'or JWT_JWKS_URL must be set when DATABASE_URL is: a secret is only generated for the embedded database',
      });
    }
    if (values.DATABASE_URL === undefined) {
      for (const [name, whose] of NEEDING_DATABASE_URL)
        if (values[name] !== undefined)
          context.addIssue({ code: 'custom', path: [name], message: `needs DATABASE_URL, ${whose}` });
    }
    const zoneData = findTimeZoneDataProblem(values.ICU_TIMEZONE_FILES_DIR, process.versions['tz'] ?? '');
    if (zoneData !== undefined)
      context.addIssue({ code: 'custom', path: ['ICU_TIMEZONE_FILES_DIR'], message: zoneData });
    const invalid = new Set(context.issues.map(({ path }) => path?.[0]));
    for (const [name, message] of findProblems(values, invalid))
      context.addIssue({ code: 'custom', path: [name], message });
  })
  .transform((values) => ({ ...values, DATA_DIR: values.DATA_DIR ?? DEFAULT_DATA_DIR }))
  .transform((values): Environment => ({
    host: values.HOST,
    port: values.PORT,
    publicUrl: values.PUBLIC_URL ?? `http://localhost:${values.PORT}`,
    corsOrigins: values.CORS_ORIGINS,
    trustedProxies: values.TRUSTED_PROXIES,
    rateLimits: {
      caller: values.RATE_LIMIT_PER_CALLER,
      address: values.RATE_LIMIT_PER_ADDRESS,
      'failed-authentication': values.RATE_LIMIT_FAILED_AUTHENTICATION,
    },
    connectionLimits: { address: values.MAX_CONNECTIONS_PER_ADDRESS, all: values.MAX_CONNECTIONS },
    maxRequestsAtWork: values.MAX_REQUESTS_AT_WORK,
    console: values.CONSOLE === 'on',
    consoleSignIn: toConsoleSignIn(values),
    database: toDatabaseEnvironment(values),
    encryption: toEncryptionEnvironment(values),
    plaintextHosts: toPlaintextHosts(values),
    token: toTokenEnvironment(values),
    reminderCron: values.REMINDER_CRON,
    auditCron: values.AUDIT_CRON,
    reminderMaxLateness: values.REMINDER_MAX_LATENESS,
    rawVariables: {},
    logLevel: values.LOG_LEVEL,
  }));

/**
 * Requires TLS for a connection, unless connections to its host may be unencrypted.
 *
 * @throws InvalidEnvironmentError
 */
export function requireTls(environment: Environment, variable: string, destination: ConnectionTarget): void {
  const problem = findPlaintextProblem(destination, environment.plaintextHosts);
  if (problem !== undefined) throw new InvalidEnvironmentError([`${variable} ${problem}`]);
}

/**
 * Reads and validates the environment of the service. Also validates the variables of all loaded modules: otherwise, the
 * operator would see the wrong variables of one module after the other.
 *
 * @throws InvalidEnvironmentError with one line for each invalid variable
 */
export function readServiceEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const rawVariables = readRawVariables(source);
  const variables = listDeclaredVariables().map(({ shape }) => z.object(shape));
  const schemas = [environment, ...variables, ...listDeclaredRules()];
  // Several schemas find the same problem of a variable.
  const lines = new Set(schemas.flatMap((schema) => toLines(schema.safeParse(rawVariables))));
  if (lines.size > 0) throw new InvalidEnvironmentError([...lines]);
  return toEnvironment(rawVariables);
}

/**
 * Reads and validates the variables of the core of the service. Modules read their own variables.
 *
 * @throws InvalidEnvironmentError with one line for each invalid variable
 */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  return toEnvironment(readRawVariables(source));
}

function toEnvironment(rawVariables: Environment['rawVariables']): Environment {
  return Object.assign(readVariables(environment, rawVariables), { rawVariables });
}

/**
 * Reads the variables of one part of the service.
 *
 * @throws InvalidEnvironmentError with one line for each invalid variable
 */
export function readVariables<T extends z.ZodType>(schema: T, rawVariables: Environment['rawVariables']): z.output<T> {
  const result = schema.safeParse(rawVariables);
  if (result.success) return result.data;
  throw new InvalidEnvironmentError(toLines(result));
}

/**
 * Returns the values of the variables. Empty and blank variables count as absent, because Compose files cannot unset
 * variables, and because a blank text would be the number 0.
 * Secrets can be in files (`<NAME>_FILE`).
 */
function readRawVariables(source: NodeJS.ProcessEnv): Environment['rawVariables'] {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value?.trim() !== ''));
  const { variables, problems } = readSecretFiles(given);
  if (problems.length > 0) throw new InvalidEnvironmentError(problems);
  return variables;
}

function toLines({ error }: z.ZodSafeParseResult<unknown>): string[] {
  // The rest of a path is the index in a list. Several items of a list can have the same problem.
  return [...new Set(error?.issues.map(({ path, message }) => `${String(path[0])} ${message}`))];
}
