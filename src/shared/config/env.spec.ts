import { z } from 'zod';
import { declareVariables, InvalidEnvironmentError, readEnvironment, readServiceEnvironment } from './env.js';

const SECRET = 'Ujt5VmR1cV9zXk3qW8hBzN4yLp7sTfGd';
const DATABASE_URL = 'postgres://user:password@localhost/care';

const AUDIENCE = { JWT_AUDIENCE: 'care', JWT_ISSUER: 'https://id.example' };
const KEY_SET = { JWT_JWKS_URL: 'https://id.example/keys', ...AUDIENCE };

function linesOf(source: Record<string, string>, read = readEnvironment): readonly string[] {
  try {
    read(source);
    return [];
  } catch (error) {
    return (error as InvalidEnvironmentError).lines;
  }
}

it('has the defaults of docs/configuration.md', () => {
  const { reminderMaxLateness, token, ...environment } = readEnvironment({});
  const { maxLifetime, revocationInterval, ...named } = token;
  expect([reminderMaxLateness, maxLifetime, revocationInterval].map(String)).toEqual(['PT24H', 'PT24H', 'PT2S']);
  expect(named).toEqual({
    key: { kind: 'generated', dataDir: '.data' },
    issuer: undefined,
    audience: undefined,
    claims: { role: 'role', clinicId: 'clinicId', caregiverId: 'caregiverId', clientId: 'clientId' },
  });
  expect(environment).toEqual({
    rawVariables: {},
    host: '127.0.0.1',
    port: 3000,
    publicUrl: 'http://localhost:3000',
    corsOrigins: [],
    trustedProxies: [],
    rateLimits: { caller: 600_000, address: 600_000, 'failed-authentication': 1_000 },
    connectionLimits: { address: 1_000, all: 10_000 },
    maxRequestsAtWork: 1_000,
    console: true,
    database: { kind: 'embedded', dataDir: '.data' },
    encryption: { encrypts: true, keys: { kind: 'generated', dataDir: '.data' } },
    plaintextHosts: 'all',
    reminderCron: '*/5 * * * * *',
    auditCron: '*/5 * * * * *',
    logLevel: 'info',
  });
});

it('treats an empty variable as absent', () => {
  expect(readEnvironment({ PORT: '', DATABASE_URL: '', JWT_SECRET: '' })).toEqual(readEnvironment({}));
});

it('treats a blank variable as absent, because a blank number would be 0, which means no limit', () => {
  const numbers = ['PORT', 'MAX_CONNECTIONS', 'MAX_CONNECTIONS_PER_ADDRESS', 'RATE_LIMIT_PER_CALLER'];
  for (const blank of [' ', '\t', ' \n'])
    expect(readEnvironment(Object.fromEntries(numbers.map((name) => [name, blank])))).toEqual(readEnvironment({}));
});

it('derives the public origin from the port, and reduces a URL to its origin', () => {
  expect(readEnvironment({ PORT: '4000' }).publicUrl).toBe('http://localhost:4000');
  expect(readEnvironment({ PUBLIC_URL: 'https://care.example.org/' }).publicUrl).toBe('https://care.example.org');
  const { corsOrigins } = readEnvironment({ CORS_ORIGINS: 'https://a.example, https://b.example:8443' });
  expect(corsOrigins).toEqual(['https://a.example', 'https://b.example:8443']);
});

it('accepts a secret or a key set, and requires one of them with PostgreSQL', () => {
  const { token, database } = readEnvironment({ DATABASE_URL, JWT_SECRET: SECRET, MIGRATE_ON_START: 'true' });
  expect(token.key).toEqual({ kind: 'secret', secret: SECRET });
  const hosts = [{ host: 'localhost', port: 5432 }];
  const shared = { kind: 'postgresql', url: DATABASE_URL, poolSize: 10 };
  expect(database).toEqual({ ...shared, migrationUrl: DATABASE_URL, hosts, migrateOnStart: true });
  const migrationUrl = 'postgres://owner@localhost/care';
  const apart = { DATABASE_URL, JWT_SECRET: SECRET, MIGRATION_DATABASE_URL: migrationUrl };
  expect(readEnvironment(apart).database).toEqual({
    ...shared,
    migrationUrl,
    hosts: [...hosts, ...hosts],
    migrateOnStart: false,
  });
  expect(readEnvironment({ DATABASE_URL, ENCRYPTION: 'off', ...KEY_SET }).token.key).toEqual({
    kind: 'keySet',
    url: 'https://id.example/keys',
  });
  expect(linesOf({ DATABASE_URL })).toEqual([expect.stringMatching(/^JWT_SECRET or JWT_JWKS_URL must be set/)]);
  expect(linesOf({ JWT_SECRET: SECRET, ...KEY_SET })).toHaveLength(1);
  expect(linesOf({ JWT_PREVIOUS_SECRET: SECRET })).toEqual([
    'JWT_PREVIOUS_SECRET needs JWT_SECRET, the secret that replaces it',
  ]);
});

it.each([
  ['PORT', '65536'],
  ['PORT', 'http'],
  ['PUBLIC_URL', 'care.example.org'],
  ['CORS_ORIGINS', 'https://a.example,nonsense'],
  ['TRUSTED_PROXIES', '10.0.0.0/8, proxy.example.org'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['MAX_CONNECTIONS', '-1'],
  ['MAX_CONNECTIONS_PER_ADDRESS', 'many'],
  ['MAX_REQUESTS_AT_WORK', '0'],
  ['RATE_LIMIT_PER_CALLER', '-1'],
  ['RATE_LIMIT_PER_ADDRESS', 'many'],
  ['RATE_LIMIT_FAILED_AUTHENTICATION', '1.5'],
  ['DATABASE_URL', 'mysql://localhost/care'],
  ['DATABASE_URL', 'postgres://h1,h2/care?target_session_attrs=writable'],
  ['DATABASE_URL', 'postgres://h1,,h2/care'],
  ['MIGRATION_DATABASE_URL', 'postgres://h1:port,h2/care'],
  ['DATABASE_POOL_SIZE', '0'],
  ['MIGRATE_ON_START', 'perhaps'],
  ['JWT_SECRET', 'x'.repeat(31)],
  ['JWT_SECRET', 'x'.repeat(40)],
  ['JWT_PREVIOUS_SECRET', 'changeme'.repeat(5)],
  ['JWT_JWKS_URL', 'ftp://id.example'],
  ['JWT_MAX_LIFETIME', '24h'],
  ['JWT_MAX_LIFETIME', '-PT1H'],
  ['JWT_REVOCATION_INTERVAL', 'PT0S'],
  ['JWT_REVOCATION_INTERVAL', 'PT25H'],
  ['JWT_ROLE_CLAIM', 'realm_access..roles'],
  ['JWT_CLINIC_CLAIM', '.clinicId'],
  ['REMINDER_CRON', '* * *'],
  ['REMINDER_CRON', '0 0 0 30 2 *'],
  ['AUDIT_CRON', '0 0 0 30 2 *'],
  ['LOG_LEVEL', 'loud'],
])('%s=%s is refused with one line that names the variable', (name, value) => {
  const lines = linesOf({ JWT_SECRET: SECRET, ...AUDIENCE, [name]: value }).filter(
    (line) => !line.startsWith('JWT_SECRET and'),
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]!.startsWith(name)).toBe(true);
});

it('has a line for each invalid variable', () => {
  expect(linesOf({ PORT: 'x', LOG_LEVEL: 'x', MIGRATE_ON_START: 'x' })).toHaveLength(3);
});

describe('the sign-in of the console', () => {
  const CONSOLE = { CONSOLE_CLIENT_ID: 'console' };

  it('uses the issuer of the tokens', () => {
    expect(readEnvironment({ ...KEY_SET, ...CONSOLE }).consoleSignIn).toEqual({
      issuer: 'https://id.example',
      clientId: 'console',
      scope: 'openid profile',
    });
    const more = { CONSOLE_SCOPE: 'openid offline_access', CONSOLE_AUDIENCE_PARAMETER: 'resource' };
    expect(readEnvironment({ ...KEY_SET, ...CONSOLE, ...more }).consoleSignIn).toMatchObject({
      scope: 'openid offline_access',
      audience: { parameter: 'resource', value: 'care' },
    });
    expect(readEnvironment(KEY_SET).consoleSignIn).toBeUndefined();
  });

  it.each([
    ['CONSOLE_CLIENT_ID needs JWT_JWKS_URL', { JWT_SECRET: SECRET, ...AUDIENCE }],
    ['JWT_ISSUER must be an http(s) URL', { ...KEY_SET, JWT_ISSUER: 'care' }],
    ['JWT_ISSUER must use TLS', { ...KEY_SET, JWT_ISSUER: 'http://id.example' }],
    ['CONSOLE_SCOPE must contain openid', { ...KEY_SET, CONSOLE_SCOPE: 'profile' }],
    ['CONSOLE_SCOPE must be scopes', { ...KEY_SET, CONSOLE_SCOPE: 'openid  "' }],
    ['CONSOLE_AUDIENCE_PARAMETER must be', { ...KEY_SET, CONSOLE_AUDIENCE_PARAMETER: 'target' }],
  ])('has the line: %s', (start, source) => {
    expect(linesOf({ ...source, ...CONSOLE })).toEqual([expect.stringContaining(start)]);
  });

  it('accepts an issuer without TLS on this machine', () => {
    expect(linesOf({ ...KEY_SET, ...CONSOLE, JWT_ISSUER: 'http://localhost:9000' })).toEqual([]);
  });
});

describe('in production', () => {
  const PRODUCTION = { NODE_ENV: 'production', ENCRYPTION: 'off', JWT_SECRET: SECRET, ...AUDIENCE };
  const REASON = 'without it, tokens for other applications would be accepted';

  it.each([
    ['with NODE_ENV=production', { NODE_ENV: 'production', JWT_SECRET: SECRET, DATA_DIR: '/data' }],
    ['with a key set', { JWT_JWKS_URL: KEY_SET.JWT_JWKS_URL }],
  ])('audience and issuer are required %s', (_, variables) => {
    expect(linesOf(variables)).toEqual([
      `JWT_AUDIENCE must be set with NODE_ENV=production or JWT_JWKS_URL: ${REASON}`,
      `JWT_ISSUER must be set with NODE_ENV=production or JWT_JWKS_URL: ${REASON}`,
    ]);
    expect(linesOf({ ...variables, ...AUDIENCE })).toEqual([]);
  });

  it.each([
    ['a secret', PRODUCTION],
    ['a key set', { NODE_ENV: 'production', ENCRYPTION: 'off', ...KEY_SET }],
  ])('needs a database that is named, with %s', (_, variables) => {
    const line = 'DATABASE_URL must be set with NODE_ENV=production, or DATA_DIR for an embedded database';
    expect(linesOf({ ...variables, DATABASE_URL: '' })).toEqual([line]);
    expect(linesOf({ ...variables, DATABASE_URL: '', DATA_DIR: '' })).toEqual([line]);
    expect(linesOf({ ...variables, DATABASE_URL })).toEqual([]);
    const { database } = readEnvironment({ ...variables, DATA_DIR: '.data' });
    expect(database).toEqual({ kind: 'embedded', dataDir: '.data' });
  });

  it('has a line for each connection without TLS', () => {
    const source = {
      NODE_ENV: 'production',
      ENCRYPTION: 'off',
      JWT_JWKS_URL: 'http://id.example/keys',
      DATABASE_URL: 'postgres://care@db.example/care',
      MIGRATION_DATABASE_URL: 'postgres://owner@db.example/care?sslmode=prefer',
      ...AUDIENCE,
    };
    const exception = 'or PLAINTEXT_HOSTS must list its host';
    expect(linesOf(source)).toEqual([
      `JWT_JWKS_URL must use TLS (https://), ${exception} id.example`,
      `DATABASE_URL must use TLS (?sslmode=verify-full), ${exception} db.example`,
      `MIGRATION_DATABASE_URL must use TLS (?sslmode=verify-full), ${exception} db.example`,
    ]);
    expect(linesOf({ ...source, PLAINTEXT_HOSTS: 'db.example, ID.example' })).toEqual([]);
  });

  it('has one line for each value that is not a URL', () => {
    const lines = linesOf({ ...PRODUCTION, DATABASE_URL: 'db.example', MIGRATION_DATABASE_URL: 'mysql://db.example' });
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['DATABASE_URL', 'MIGRATION_DATABASE_URL']);
  });

  it('allows connections without TLS outside of production', () => {
    expect(linesOf({ JWT_SECRET: SECRET, DATABASE_URL: 'postgres://care@db.example/care' })).toEqual([]);
  });

  it.each([
    'postgres://care@db.example/care?sslmode=require',
    'postgres://care@db.example/care?sslmode=verify-ca',
    'postgres://care@db.example/care?sslmode=verify-full',
    'postgres://care@localhost/care',
    'postgres://care@127.0.0.2/care',
    'postgres://care@[::1]/care',
    'postgres://care@%2Fvar%2Frun%2Fpostgresql/care',
    'postgres://care@localhost/care?host=/var/run/postgresql',
    'postgres://care@db1.example,db2.example/care?sslmode=verify-full',
  ])('%s is safe', (DATABASE_URL) => {
    expect(linesOf({ ...PRODUCTION, DATABASE_URL })).toEqual([]);
  });

  it.each([
    'postgres://care@db.example/care',
    'postgres://care@db.example/care?sslmode=disable',
    'postgres://care@db.example/care?sslmode=allow',
    'postgres://care@db.example/care?sslmode=prefer',
    'postgres://care@db.example/care?sslmode=no-verify',
    // If a parameter is repeated, pg uses the last value.
    'postgres://care@db.example/care?sslmode=verify-full&sslmode=disable',
    'postgres://care@localhost.example/care',
    'postgres://care@128.0.0.1/care',
    'postgres://care@[::2]/care',
    // pg connects to the host in the query parameter instead of the host before the path.
    'postgres://care@localhost/care?host=db.example',
    'postgres://care@localhost,db.example/care',
  ])('%s is not', (DATABASE_URL) => {
    expect(linesOf({ ...PRODUCTION, DATABASE_URL })).toEqual([expect.stringMatching(/^DATABASE_URL must use TLS/)]);
  });
});

it('reads the logins besides that of requests, each of which needs DATABASE_URL, and TLS in production', () => {
  const urls = {
    DATABASE_REMINDERS_URL: 'postgres://reminders@db/care',
    DATABASE_AUDIT_URL: 'postgres://audit@db/care',
    DATABASE_JOBS_URL: 'postgres://jobs@db/care',
  };
  const given = { DATABASE_URL, JWT_SECRET: SECRET };
  const logins = {
    reminders: urls.DATABASE_REMINDERS_URL,
    audit: urls.DATABASE_AUDIT_URL,
    jobs: urls.DATABASE_JOBS_URL,
  };
  expect(readEnvironment({ ...given, ...urls }).database).toMatchObject({ logins });
  expect(readEnvironment({ ...given, DATABASE_AUDIT_URL: urls.DATABASE_AUDIT_URL }).database).toHaveProperty('logins', {
    audit: logins.audit,
  });
  expect(readEnvironment(given).database).not.toHaveProperty('logins');
  expect(linesOf(urls)).toEqual(Object.keys(urls).map((name) => `${name} needs DATABASE_URL, the login of requests`));
  const production = { NODE_ENV: 'production', ENCRYPTION: 'off', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' };
  expect(linesOf({ ...given, ...urls, ...production, PLAINTEXT_HOSTS: 'localhost' })).toEqual(
    Object.keys(urls).map((name) => expect.stringMatching(new RegExp(`^${name} must use TLS .* host db$`))),
  );
});

it.each(['MIGRATION_DATABASE_URL', 'QUEUE_DATABASE_URL'])('%s needs DATABASE_URL', (name) => {
  const lines = [`${name} needs DATABASE_URL, the login of requests`];
  expect(linesOf({ [name]: DATABASE_URL })).toEqual(lines);
  expect(linesOf({ [name]: DATABASE_URL, DATABASE_URL, JWT_SECRET: SECRET })).toEqual([]);
});

it('has one line without an index for a list with wrong items', () => {
  expect(linesOf({ TRUSTED_PROXIES: '10.0.0.1,foo,bar' })).toEqual([
    'TRUSTED_PROXIES must be addresses or CIDR blocks',
  ]);
});

it.each([
  ...['MIGRATION_DATABASE_URL', 'DATABASE_REMINDERS_URL', 'DATABASE_AUDIT_URL', 'DATABASE_JOBS_URL'],
  'QUEUE_DATABASE_URL',
])('refuses another database in %s, which commands or jobs would change', (variable) => {
  const given = { JWT_SECRET: SECRET, DATABASE_URL: 'postgres://app:secret@pooler:6432/restored' };
  const ofOwner = (url: string) => linesOf({ ...given, [variable]: url });
  expect(ofOwner('postgres://owner:secret@db/care')).toEqual([
    `${variable} must name the database of DATABASE_URL: it is "care" instead of "restored"`,
  ]);
  expect(ofOwner('postgres://owner:secret@h1,h2/restored?sslmode=verify-full')).toEqual([]);
  // The name is then that of the account.
  expect(ofOwner('postgres://restored:secret@db')).toEqual([]);
});

it('reads the replica, which needs its primary, TLS in production, and a bound that can be kept', () => {
  const DATABASE_REPLICA_URL = 'postgres://replica/care';
  const given = { DATABASE_URL, JWT_SECRET: SECRET, DATABASE_REPLICA_URL };
  const lag = (text: string) => ({ ...given, DATABASE_REPLICA_MAX_LAG: text });
  const replica = { url: DATABASE_REPLICA_URL, maxLag: Temporal.Duration.from('PT10S') };
  expect(readEnvironment(given).database).toMatchObject({ replica });
  expect(readEnvironment({ DATABASE_URL, JWT_SECRET: SECRET }).database).not.toHaveProperty('replica');
  expect(linesOf({ DATABASE_REPLICA_URL })).toEqual([
    'DATABASE_REPLICA_URL needs DATABASE_URL, the primary of the replica',
  ]);
  for (const text of ['PT1S', 'PT11M', '-PT5S', 'P1M', '5 s'])
    expect(linesOf(lag(text))).toEqual(['DATABASE_REPLICA_MAX_LAG must be an ISO 8601 duration from PT2S to PT10M']);
  expect(linesOf(lag('PT2S'))).toEqual([]);
  const production = {
    ...{ NODE_ENV: 'production', ENCRYPTION: 'off' },
    ...{ JWT_ISSUER: 'i', JWT_AUDIENCE: 'a', PLAINTEXT_HOSTS: 'localhost' },
  };
  expect(linesOf({ ...given, ...production })).toEqual([
    expect.stringMatching(/^DATABASE_REPLICA_URL must use TLS .* host replica$/),
  ]);
});

describe('of the service', () => {
  beforeAll(() => {
    declareVariables('One module', { ONE_SIZE: z.coerce.number('must be a number').default(1).describe('A size.') });
    declareVariables('Another module', { OTHER_MODE: z.enum(['a'], 'must be a').default('a').describe('A mode.') });
  });

  it('has one line for each invalid variable of the core and of all modules', () => {
    const source = { PORT: 'x', ONE_SIZE: 'x', OTHER_MODE: 'x' };
    const lines = linesOf(source, readServiceEnvironment);
    expect(lines).toEqual([
      'PORT must be a whole number from 0 to 65535',
      'ONE_SIZE must be a number',
      'OTHER_MODE must be a',
    ]);
    expect(linesOf({ ...source, PORT: '1' }, readServiceEnvironment)).toEqual(lines.slice(1));
  });

  it('is the environment of the core if all variables are valid', () => {
    expect(readServiceEnvironment({ ONE_SIZE: '2' })).toEqual(readEnvironment({ ONE_SIZE: '2' }));
  });
});
