import type { Environment } from '../../../src/shared/config/env.js';

export const TEST_JWT_SECRET = 'a secret that is only used by tests!!';
export const PUBLIC_URL = 'https://care.example.org';

export const testEnvironment: Environment = {
  host: '127.0.0.1',
  port: 0,
  publicUrl: PUBLIC_URL,
  corsOrigins: ['https://app.example.org'],
  trustedProxies: [],
  // The limits are high, because the test clock stands still: a minute of the rate limiter lasts for a whole test file.
  rateLimits: { caller: 1_000_000, address: 1_000_000, 'failed-authentication': 1_000_000 },
  connectionLimits: { address: 10_000, all: 10_000 },
  maxRequestsAtWork: 1_000,
  console: true,
  consoleSignIn: undefined,
  database: { kind: 'embedded', dataDir: 'memory:' },
  encryption: { encrypts: false, keys: undefined },
  plaintextHosts: 'all',
  token: {
    key: { kind: 'secret', secret: TEST_JWT_SECRET },
    issuer: undefined,
    audience: undefined,
    claims: { role: 'role', clinicId: 'clinicId', caregiverId: 'caregiverId', clientId: 'clientId' },
    maxLifetime: Temporal.Duration.from('PT24H'),
    // The interval is long, because tests count statements and would count this query. Revocation tests run the job
    // themselves.
    revocationInterval: Temporal.Duration.from('PT24H'),
  },
  // The schedule is once a year, because tests dispatch due reminders themselves.
  reminderCron: '0 0 0 1 1 *',
  auditCron: '0 0 0 1 1 *',
  reminderMaxLateness: Temporal.Duration.from('PT24H'),
  rawVariables: {},
  // With TEST_LOG_LEVEL=error, a failed test shows the errors of the service.
  logLevel: (process.env['TEST_LOG_LEVEL'] ?? 'silent') as Environment['logLevel'],
};
