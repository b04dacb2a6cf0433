import { InvalidEnvironmentError, readEnvironment } from './env.js';

const KEY = Buffer.alloc(32, 1).toString('base64');
const OTHER_KEY = Buffer.alloc(32, 2).toString('base64');
const POSTGRESQL = { DATABASE_URL: 'postgres://care@localhost/care', JWT_SECRET: 'Ujt5VmR1cV9zXk3qW8hBzN4yLp7sTfGd' };
const PRODUCTION = { ...POSTGRESQL, NODE_ENV: 'production', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' };
const KEYS = { ENCRYPTION_KEYS: `2026:${KEY}`, ENCRYPTION_KEY_DIRECTORY: '/keys' };

function linesOf(variables: NodeJS.ProcessEnv): readonly string[] {
  try {
    readEnvironment(variables);
    return [];
  } catch (error) {
    if (error instanceof InvalidEnvironmentError) return error.lines;
    throw error;
  }
}

it('makes keys beside the embedded database, unless it keeps nothing', () => {
  const { encryption } = readEnvironment({ DATA_DIR: '/data' });
  expect(encryption).toEqual({ encrypts: true, keys: { kind: 'generated', dataDir: '/data' } });
  expect(readEnvironment({ DATA_DIR: 'memory:' }).encryption).toEqual({ encrypts: false, keys: undefined });
  const keys = { kind: 'configured', ring: [{ name: 'a', key: KEY }], directory: '/data/keys' };
  expect(readEnvironment({ DATA_DIR: '/data', ENCRYPTION_KEYS: `a:${KEY}` }).encryption.keys).toEqual(keys);
});

it('reads the key ring in its order', () => {
  const ENCRYPTION_KEYS = `2027:${KEY}, 2026:${OTHER_KEY}`;
  const { encryption } = readEnvironment({ ...PRODUCTION, ...KEYS, ENCRYPTION_KEYS });
  const ring = [
    { name: '2027', key: KEY },
    { name: '2026', key: OTHER_KEY },
  ];
  expect(encryption).toEqual({ encrypts: true, keys: { kind: 'configured', ring, directory: '/keys' } });
});

it.each(['x', `a:${KEY},a:${OTHER_KEY}`, `a:${KEY},`, 'a:c2hvcnQ=', `:${KEY}`, `a b:${KEY}`])(
  'refuses the key ring %s without showing it',
  (ENCRYPTION_KEYS) => {
    const [line] = linesOf({ ...POSTGRESQL, ...KEYS, ENCRYPTION_KEYS });
    expect(line).toMatch(/^ENCRYPTION_KEYS must be a comma-separated list of name:key/);
    expect(line).not.toContain(KEY);
  },
);

it('requires a decision in production', () => {
  expect(linesOf(PRODUCTION)).toEqual([
    'ENCRYPTION_KEYS must be set in production, or ENCRYPTION=off to store data of Clients in clear text',
  ]);
  expect(linesOf({ ...PRODUCTION, ...KEYS })).toEqual([]);
  expect(linesOf({ ...PRODUCTION, ENCRYPTION: 'off' })).toEqual([]);
  expect(linesOf(POSTGRESQL)).toEqual([]);
});

it('requires a directory and keys together', () => {
  const { ENCRYPTION_KEYS } = KEYS;
  expect(linesOf({ ...POSTGRESQL, ENCRYPTION_KEYS })).toEqual([
    'ENCRYPTION_KEY_DIRECTORY must be set when ENCRYPTION_KEYS and DATABASE_URL are',
  ]);
  expect(linesOf({ ...POSTGRESQL, ENCRYPTION: 'on' })).toEqual([
    'ENCRYPTION_KEYS must be set when ENCRYPTION=on and DATABASE_URL are',
  ]);
  expect(linesOf({ ...POSTGRESQL, ENCRYPTION: 'maybe' })).toEqual(['ENCRYPTION must be on or off']);
});

it('reads encrypted rows, but writes none, if encryption is off and there are keys', () => {
  expect(readEnvironment({ ...POSTGRESQL, ...KEYS, ENCRYPTION: 'off' }).encryption).toMatchObject({
    encrypts: false,
    keys: { kind: 'configured' },
  });
});
