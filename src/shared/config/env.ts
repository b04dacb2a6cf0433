import type { z } from 'zod';
import { toDatabaseEnvironment, type DatabaseEnvironment } from './database-environment.js';
import { serviceVariables } from './environment-variables.js';
import { toPlaintextHosts, findProductionProblems } from './production.js';
import { findZoneDataProblem } from '../time/zone-data.js';
import { toTokenEnvironment, type TokenEnvironment } from './token-environment.js';
import { findPlaintextProblem, type Destination, type PlaintextHosts } from './transport-security.js';

export { declareVariables } from './declared-variables.js';
export { durationVariable } from './environment-variables.js';
export type { DatabaseEnvironment };
export type { ClaimPaths, TokenEnvironment } from './token-environment.js';

/** Requests a minute that are answered; 0: as many as come. */
export type RateLimits = { caller: number; address: number; 'failed-authentication': number };

/** The whole environment of the service, validated. Listed in docs/configuration.md. */
export class Environment {
  readonly host!: string;
  readonly port!: number;
  /** The service's own origin, without a trailing slash. */
  readonly publicUrl!: string;
  /** Further origins that browsers may call from. */
  readonly corsOrigins!: readonly string[];
  /** Proxies (addresses or CIDR blocks) whose `X-Forwarded-For` is believed. */
  readonly trustedProxies!: readonly string[];
  readonly rateLimits!: RateLimits;
  /** Connections that may be open at one time, of one address and in all; 0: as many as come. */
  readonly connectionLimits!: { address: number; all: number };
  /** Requests that this instance works on at once; more are answered with 503. */
  readonly maxRequestsAtWork!: number;
  readonly database!: DatabaseEnvironment;
  /** Hosts that may be reached without TLS, beside this machine. */
  readonly plaintextHosts!: PlaintextHosts;
  readonly token!: TokenEnvironment;
  /** Cron expression, seconds first: when due reminders are looked for. */
  readonly reminderCron!: string;
  /** Cron expression, seconds first: when the audit trail is sealed. */
  readonly auditCron!: string;
  /** Reminders that are later than this are not sent any more. */
  readonly reminderMaxLateness!: Temporal.Duration;
  /** The variables as they were given: what a channel of reminders reads its own from. */
  readonly rawVariables!: Readonly<Record<string, string | undefined>>;
  readonly logLevel!: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** One line per variable that is wrong; the service does not start with it. */
export class InvalidEnvironmentError extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

const environment = serviceVariables
  .superRefine((given, context) => {
    if (given.JWT_SECRET !== undefined && given.JWT_JWKS_URL !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['JWT_SECRET'],
        message: 'and JWT_JWKS_URL exclude each other: set one of them',
      });
    }
    if (given.DATABASE_URL !== undefined && given.JWT_SECRET === undefined && given.JWT_JWKS_URL === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['JWT_SECRET'],
        message:
          'or JWT_JWKS_URL must be set when DATABASE_URL is: a secret is only generated for the embedded database',
      });
    }
    const zoneData = findZoneDataProblem(given.ICU_TIMEZONE_FILES_DIR, process.versions['tz'] ?? '');
    if (zoneData !== undefined)
      context.addIssue({ code: 'custom', path: ['ICU_TIMEZONE_FILES_DIR'], message: zoneData });
    const wrong = new Set(context.issues.map(({ path }) => path?.[0]));
    for (const [name, message] of findProductionProblems(given, wrong))
      context.addIssue({ code: 'custom', path: [name], message });
  })
  .transform((given): Environment => ({
    host: given.HOST,
    port: given.PORT,
    publicUrl: given.PUBLIC_URL ?? `http://localhost:${given.PORT}`,
    corsOrigins: given.CORS_ORIGINS,
    trustedProxies: given.TRUSTED_PROXIES,
    rateLimits: {
      caller: given.RATE_LIMIT_PER_CALLER,
      address: given.RATE_LIMIT_PER_ADDRESS,
      'failed-authentication': given.RATE_LIMIT_FAILED_AUTHENTICATION,
    },
    connectionLimits: { address: given.MAX_CONNECTIONS_PER_ADDRESS, all: given.MAX_CONNECTIONS },
    maxRequestsAtWork: given.MAX_REQUESTS_AT_WORK,
    database: toDatabaseEnvironment(given),
    plaintextHosts: toPlaintextHosts(given),
    token: toTokenEnvironment(given),
    reminderCron: given.REMINDER_CRON,
    auditCron: given.AUDIT_CRON,
    reminderMaxLateness: given.REMINDER_MAX_LATENESS,
    rawVariables: {},
    logLevel: given.LOG_LEVEL,
  }));

/**
 * Refuses a part of the service a destination that must be reached by TLS.
 *
 * @throws InvalidEnvironmentError
 */
export function requireTls(environment: Environment, variable: string, destination: Destination): void {
  const problem = findPlaintextProblem(destination, environment.plaintextHosts);
  if (problem !== undefined) throw new InvalidEnvironmentError([`${variable} ${problem}`]);
}

/**
 * Reads and validates the environment once. An empty variable counts as absent, since
 * compose files and shells cannot unset one.
 *
 * @throws InvalidEnvironmentError with one line for each variable that is wrong
 */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const rawVariables = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  return Object.assign(readVariables(environment, rawVariables), { rawVariables });
}

/**
 * Reads the variables of one part of the service.
 *
 * @throws InvalidEnvironmentError with one line for each variable that is wrong
 */
export function readVariables<T extends z.ZodType>(schema: T, given: Environment['rawVariables']): z.output<T> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new InvalidEnvironmentError(result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
}
