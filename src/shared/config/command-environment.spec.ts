import { readEnvironmentWithoutKeys } from './command-environment.js';

const POSTGRESQL = { DATABASE_URL: 'postgres://care@localhost/care', JWT_SECRET: 'Ujt5VmR1cV9zXk3qW8hBzN4yLp7sTfGd' };
const PRODUCTION = { ...POSTGRESQL, NODE_ENV: 'production', JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' };

it.each([
  ['no variables of the encryption', {}],
  ['a key ring in a file that is not mounted', { ENCRYPTION_KEYS_FILE: '/absent', ENCRYPTION_KEY_DIRECTORY: '/keys' }],
  ['Vault with a token that is not mounted', { VAULT_ADDR: 'http://vault:8200', VAULT_TOKEN_FILE: '/absent' }],
  ['encryption without keys', { ENCRYPTION: 'on' }],
])('needs no keys with %s', (_, variables) => {
  const { database, encryption } = readEnvironmentWithoutKeys({ ...PRODUCTION, ...variables });
  expect(database).toMatchObject({ kind: 'postgresql', url: expect.stringContaining('localhost') });
  expect(encryption).toEqual({ encrypts: false, keys: undefined });
});

it('makes no keys beside the embedded database', () => {
  expect(readEnvironmentWithoutKeys({ DATA_DIR: '/data' }).encryption.keys).toBeUndefined();
});

it('checks the other variables', () => {
  expect(() => readEnvironmentWithoutKeys({ ...PRODUCTION, JWT_ISSUER: '' })).toThrow(/^JWT_ISSUER must be set/);
  expect(() => readEnvironmentWithoutKeys({ ...PRODUCTION, JWT_SECRET_FILE: '/absent' })).toThrow(/^JWT_SECRET_FILE/);
});
