import { CronTime } from 'cron';
import { z } from 'zod';
import { consoleVariables } from './console-sign-in.js';
import { databaseVariables } from './database-environment.js';
import { encryptionVariables, vaultTokenFileVariable } from './encryption-environment.js';
import { declareVariables } from './declared-variables.js';
import { isStrongSecret, WEAK_SECRET_MESSAGE } from './secrets/secret-strength.js';

/* The environment variables of the service. Reminder channels, the queue and metrics declare their own. */

const origin = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) origin such as https://care.example.org' })
  .transform((value) => new URL(value).origin);

/** Creates the schema of a variable with a positive ISO 8601 duration. @param initial the default */
export const durationVariable = (initial: string) =>
  z
    .string()
    .refine(isPositiveDuration, `must be an ISO 8601 duration such as ${initial}`)
    .default(initial)
    .transform((text) => Temporal.Duration.from(text));

/** Creates the schema of a variable with a cron expression that begins with seconds. @param initial the default */
export const cronVariable = (initial: string) =>
  z.string().refine(hasNextTime, `must be a cron expression with a next time, such as ${initial}`).default(initial);

const claimPath = (initial: string) =>
  z
    .string()
    .regex(/^(https?:\/\/.+|[^.]+(\.[^.]+)*)$/, 'must be the name of a claim, or a path such as realm_access.roles')
    .default(initial);

/** The schema of a variable with a comma-separated list. */
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

const limit = z.coerce.number({ error: 'must be a whole number of requests per minute, 0 for no limit' }).int().min(0);
const connections = z.coerce.number({ error: 'must be a whole number of connections, 0 for no limit' }).int().min(0);

const server = declareVariables('Server', {
  NODE_ENV: z
    .string()
    .optional()
    .describe(
      '`production` requires `DATABASE_URL` or `DATA_DIR`, `JWT_ISSUER`, `JWT_AUDIENCE` and TLS to all other servers.',
    ),
  PORT: z.coerce
    .number({ error: 'must be a whole number from 0 to 65535' })
    .int()
    .min(0)
    .max(65_535)
    .default(3000)
    .describe('Port of the service.'),
  HOST: z.string().default('127.0.0.1').describe('Address that the service listens on.'),
  PUBLIC_URL: origin.optional().describe("The service's own origin. Default: `http://localhost:<PORT>`."),
  CORS_ORIGINS: list
    .pipe(z.array(origin))
    .default([])
    .describe('Comma-separated list of further origins that CORS allows.'),
  TRUSTED_PROXIES: list
    .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'must be addresses or CIDR blocks')))
    .default([])
    .describe('Comma-separated addresses or CIDR blocks of the proxies whose `X-Forwarded-For` header is trusted.'),
  PLAINTEXT_HOSTS: list
    .default([])
    .describe(
      'Comma-separated hosts of PostgreSQL, SMTP, webhook, key set and Vault, beside this machine, that may be used without TLS. Applies with `NODE_ENV=production` or `JWT_JWKS_URL`; otherwise no host needs TLS.',
    ),
  ICU_TIMEZONE_FILES_DIR: z
    .string()
    .optional()
    .describe(
      "Directory with time zone data that is newer than Node's own: ICU's `zoneinfo64.res` and the files beside it (operations.md). Node reads it when the process starts. The service does not start if Node has not loaded this data.",
    ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      error: 'must be one of trace, debug, info, warn, error, silent',
    })
    .default('info')
    .describe('`trace`, `debug`, `info`, `warn`, `error` or `silent`.'),
});

const limits = declareVariables('Limits', {
  RATE_LIMIT_PER_CALLER: limit
    .default(600_000)
    .describe('Requests per minute of one caller (record and subject of the token). 0: no limit.'),
  RATE_LIMIT_PER_ADDRESS: limit
    .default(600_000)
    .describe('Requests per minute of one address (IPv6: its first 64 bits). 0: no limit.'),
  RATE_LIMIT_FAILED_AUTHENTICATION: limit
    .default(1_000)
    .describe('Requests per minute of one address with an invalid token. 0: no limit.'),
  MAX_CONNECTIONS: connections
    .default(10_000)
    .describe('Connections that one instance keeps open at the same time. 0: no limit.'),
  MAX_CONNECTIONS_PER_ADDRESS: connections
    .default(1_000)
    .describe('The same for one address (IPv6: its first 64 bits). 0: no limit.'),
  MAX_REQUESTS_AT_WORK: z.coerce
    .number({ error: 'must be a whole number, 1 or more' })
    .int()
    .min(1)
    .default(1_000)
    .describe('Requests that one instance processes at the same time. Further requests are answered with 503.'),
});

/** RFC 7518, section 3.2 requires a key of at least 256 bits for HS256. */
const sharedSecret = z
  .string()
  .refine((secret) => Buffer.byteLength(secret) >= 32, { error: 'must be at least 32 bytes long', abort: true })
  .refine(isStrongSecret, WEAK_SECRET_MESSAGE);
const inProduction = 'with `NODE_ENV=production` or `JWT_JWKS_URL`';
const tokens = declareVariables('Tokens', {
  JWT_SECRET: sharedSecret.optional().meta({
    secret: true,
    description:
      'Shared secret of HS256 tokens, at least 32 bytes. Absent with the embedded database: generated once into `DATA_DIR`; the service does not start if the secret there is shorter.',
    required: 'with `DATABASE_URL`, unless `JWT_JWKS_URL` is set',
  }),
  JWT_PREVIOUS_SECRET: sharedSecret.optional().meta({
    secret: true,
    description:
      'The secret before `JWT_SECRET`, while it is replaced: tokens with its signature are still accepted, and none is signed with it (operations.md).',
  }),
  JWT_JWKS_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL of a key set' })
    .optional()
    .describe(
      'Instead of the secret: URL of a key set for RS256 and ES256 tokens. Fetched again every 10 minutes and for an unknown key id, at most every 30 s. While it cannot be fetched, the cached keys stay valid for a day.',
    ),
  JWT_ISSUER: z.string().optional().meta({ description: '`iss` of valid tokens.', required: inProduction }),
  JWT_AUDIENCE: z.string().optional().meta({ description: '`aud` of valid tokens.', required: inProduction }),
  JWT_MAX_LIFETIME: durationVariable('PT24H').describe(
    'ISO 8601 duration. Tokens with a longer lifetime, from `iat` (absent: from now) to `exp`, are refused.',
  ),
  JWT_REVOCATION_INTERVAL: durationVariable('PT2S')
    .refine((interval) => interval.total('hours') <= 24, 'must be at most PT24H')
    .describe('ISO 8601 duration: how often each instance reads the tokens that other instances have revoked.'),
  JWT_ROLE_CLAIM: claimPath('role').describe(
    'Claim with the role: a path such as `roles`, `realm_access.roles`, `cognito:groups` or `scope`, or a claim named by a URL.',
  ),
  JWT_CLINIC_CLAIM: claimPath('clinicId').describe("Path of a Clinic's id, a number or a text."),
  JWT_CAREGIVER_CLAIM: claimPath('caregiverId').describe("Path of a Care Provider's id, a number or a text."),
  JWT_CLIENT_CLAIM: claimPath('clientId').describe("Path of a Client's id, a number or a text."),
});

const jobs = declareVariables('Reminders and audit trail', {
  REMINDER_CRON: cronVariable('*/5 * * * * *').describe(
    'Cron expression, seconds first: when due reminders are dispatched.',
  ),
  AUDIT_CRON: cronVariable('*/5 * * * * *').describe('Cron expression, seconds first: when the audit trail is sealed.'),
  REMINDER_MAX_LATENESS: durationVariable('PT24H').describe(
    'ISO 8601 duration. Later reminders are skipped, or become dead letters if all attempts have failed.',
  ),
});

/** The schema of the service's variables. `readEnvironment` also checks rules that involve several variables. */
export const serviceVariables = z.object({
  ...server,
  ...limits,
  ...databaseVariables,
  ...encryptionVariables,
  ...vaultTokenFileVariable,
  ...tokens,
  ...jobs,
  ...consoleVariables,
});

/** Refuses weeks, months and years, which `Duration.total` cannot convert to hours without a reference date. */
function isPositiveDuration(text: string): boolean {
  try {
    return Temporal.Duration.from(text).total('hours') > 0;
  } catch {
    return false;
  }
}

/** Refuses also valid expressions without a next time, such as 30 February, because their jobs cannot be scheduled. */
function hasNextTime(cronExpression: string): boolean {
  try {
    new CronTime(cronExpression, 'UTC').sendAt();
    return true;
  } catch {
    return false;
  }
}
