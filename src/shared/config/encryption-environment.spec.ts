import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

describe('Vault', () => {
  const VAULT = { VAULT_ADDR: 'https://vault:8200/', VAULT_TOKEN: 'hvs.x', ENCRYPTION_KEY_DIRECTORY: '/keys' };
  const vault = {
    ...{ address: 'https://vault:8200', namespace: undefined, token: { kind: 'value', value: 'hvs.x' } },
    ...{ mount: 'transit', key: 'care-scheduling' },
  };

  it('replaces the key ring, or stands beside it', () => {
    const { encryption } = readEnvironment({ ...PRODUCTION, ...VAULT });
    const keys = { kind: 'configured', ring: undefined, vault, active: 'vault', directory: '/keys' };
    expect(encryption).toEqual({ encrypts: true, keys });
    const both = { ...PRODUCTION, ...VAULT, ...KEYS, ENCRYPTION_WRAPPING: 'ring', VAULT_NAMESPACE: 'care' };
    expect(readEnvironment(both).encryption.keys).toMatchObject({
      ...{ ring: [{ name: '2026', key: KEY }], active: 'ring', vault: { namespace: 'care' } },
    });
  });

  it('has its token in a file, which is read again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vault-'));
    const file = join(folder, 'token');
    writeFileSync(file, 'hvs.y\n');
    const { VAULT_TOKEN: _, ...rest } = VAULT;
    const { encryption } = readEnvironment({ ...PRODUCTION, ...rest, VAULT_TOKEN_FILE: file });
    rmSync(folder, { recursive: true });
    expect(encryption.keys).toMatchObject({ vault: { token: { kind: 'file', file } } });
  });

  it.each([
    [
      { VAULT_ADDR: 'http://vault:8200' },
      ['VAULT_ADDR must use TLS (https://), or PLAINTEXT_HOSTS must list its host vault'],
    ],
    [{ VAULT_ADDR: 'vault:8200' }, [expect.stringMatching(/^VAULT_ADDR must be the http\(s\) URL of Vault/)]],
    [{ VAULT_TOKEN: '' }, ['VAULT_TOKEN must be set when VAULT_ADDR is']],
    [{ VAULT_TOKEN: 'a b' }, ['VAULT_TOKEN must be a token of Vault']],
    [{ VAULT_TRANSIT_MOUNT: '../sys' }, ['VAULT_TRANSIT_MOUNT must be a path such as transit']],
    [{ VAULT_TRANSIT_MOUNT: '/x' }, ['VAULT_TRANSIT_MOUNT must be a path such as transit']],
    [{ VAULT_TRANSIT_KEY: 'a/b' }, ['VAULT_TRANSIT_KEY must be the name of a transit key']],
    [{ ENCRYPTION_WRAPPING: 'ring' }, ['ENCRYPTION_KEYS must be set when ENCRYPTION_WRAPPING=ring is']],
    [{ ENCRYPTION_KEY_DIRECTORY: '' }, ['ENCRYPTION_KEY_DIRECTORY must be set when VAULT_ADDR and DATABASE_URL are']],
    [{ PLAINTEXT_HOSTS: 'vault', VAULT_ADDR: 'http://vault:8200' }, []],
  ])('is refused with %j', (changes, lines) => {
    expect(linesOf({ ...PRODUCTION, ...VAULT, ...changes })).toEqual(lines);
  });
});
