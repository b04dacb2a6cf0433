import { validateCronExpression } from 'cron';
import { z } from 'zod';
import { databaseEnvironment, databaseVariables, type DatabaseEnvironment } from './database-environment.js';
import { plaintextHosts, productionProblems } from './production.js';
import { tokenEnvironment, type TokenEnvironment } from './token-environment.js';
import { plaintextProblem, type Destination, type PlaintextHosts } from './transport-security.js';

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
  readonly given!: Readonly<Record<string, string | undefined>>;
  readonly logLevel!: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** One line per variable that is wrong; the service does not start with it. */
export class InvalidEnvironmentError extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

const origin = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) origin such as https://care.example.org' })
  .transform((value) => new URL(value).origin);

export const duration = (initial: string) =>
  z
    .string()
    .refine(isPositiveDuration, `must be an ISO 8601 duration such as ${initial}`)
    .default(initial)
    .transform((text) => Temporal.Duration.from(text));

const claimPath = (initial: string) =>
  z
    .string()
    .regex(/^(https?:\/\/.+|[^.]+(\.[^.]+)*)$/, 'must be the name of a claim, or a path such as realm_access.roles')
    .default(initial);

/** A list with commas between its items. */
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

const limit = z.coerce.number({ error: 'must be a whole number of requests a minute, 0 for no limit' }).int().min(0);
const connections = z.coerce.number({ error: 'must be a whole number of connections, 0 for no limit' }).int().min(0);
const cronExpression = z
  .string()
  .refine((expression) => validateCronExpression(expression).valid, 'must be a cron expression such as */5 * * * * *')
  .default('*/5 * * * * *');

const variables = z.object({
  NODE_ENV: z.string().optional(),
  PLAINTEXT_HOSTS: list.default([]),
  PORT: z.coerce.number({ error: 'must be a whole number from 0 to 65535' }).int().min(0).max(65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: origin.optional(),
  CORS_ORIGINS: list.pipe(z.array(origin)).default([]),
  TRUSTED_PROXIES: list
    .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'must be addresses or CIDR blocks')))
    .default([]),
  RATE_LIMIT_PER_CALLER: limit.default(600_000),
  RATE_LIMIT_PER_ADDRESS: limit.default(600_000),
  RATE_LIMIT_FAILED_AUTHENTICATION: limit.default(1_000),
  MAX_CONNECTIONS: connections.default(10_000),
  MAX_CONNECTIONS_PER_ADDRESS: connections.default(1_000),
  MAX_REQUESTS_AT_WORK: z.coerce.number({ error: 'must be a whole number, 1 or more' }).int().min(1).default(1_000),
  ...databaseVariables,
  JWT_SECRET: z
    .string()
    .refine((secret) => Buffer.byteLength(secret) >= 32, 'must be at least 32 bytes long')
    .optional(),
  JWT_JWKS_URL: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL of a key set' }).optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  JWT_MAX_LIFETIME: duration('PT24H'),
  JWT_REVOCATION_INTERVAL: duration('PT2S').refine(
    (interval) => interval.total('hours') <= 24,
    'must be at most PT24H',
  ),
  JWT_ROLE_CLAIM: claimPath('role'),
  JWT_CLINIC_CLAIM: claimPath('clinicId'),
  JWT_CAREGIVER_CLAIM: claimPath('caregiverId'),
  JWT_CLIENT_CLAIM: claimPath('clientId'),
  REMINDER_CRON: cronExpression,
  AUDIT_CRON: cronExpression,
  REMINDER_MAX_LATENESS: duration('PT24H'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      error: 'must be one of trace, debug, info, warn, error, silent',
    })
    .default('info'),
});

const environment = variables
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
    const wrong = new Set(context.issues.map(({ path }) => path?.[0]));
    for (const [name, message] of productionProblems(given, wrong))
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
    database: databaseEnvironment(given),
    plaintextHosts: plaintextHosts(given),
    token: tokenEnvironment(given),
    reminderCron: given.REMINDER_CRON,
    auditCron: given.AUDIT_CRON,
    reminderMaxLateness: given.REMINDER_MAX_LATENESS,
    given: {},
    logLevel: given.LOG_LEVEL,
  }));

/**
 * Refuses a part of the service a destination that must be reached by TLS.
 *
 * @throws InvalidEnvironmentError
 */
export function requireTls(environment: Environment, variable: string, destination: Destination): void {
  const problem = plaintextProblem(destination, environment.plaintextHosts);
  if (problem !== undefined) throw new InvalidEnvironmentError([`${variable} ${problem}`]);
}

/**
 * Reads and validates the environment once. An empty variable counts as absent, since
 * compose files and shells cannot unset one.
 *
 * @throws InvalidEnvironmentError with one line for each variable that is wrong
 */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  return Object.assign(readVariables(environment, given), { given });
}

/**
 * Reads the variables of one part of the service.
 *
 * @throws InvalidEnvironmentError with one line for each variable that is wrong
 */
export function readVariables<T extends z.ZodType>(schema: T, given: Environment['given']): z.output<T> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new InvalidEnvironmentError(result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
}

/** Of clock units alone: a day is not always 24 hours. */
function isPositiveDuration(text: string): boolean {
  try {
    return Temporal.Duration.from(text).total('hours') > 0;
  } catch {
    return false;
  }
}
