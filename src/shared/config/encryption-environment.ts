import { z } from 'zod';
import { declareVariables } from './declared-variables.js';

/* How names, contact data and free texts are encrypted (docs/encryption.md). */

type RingKey = { name: string; key: string };
type RingKeys = readonly [RingKey, ...RingKey[]];

/** A key of the transit engine of HashiCorp Vault or OpenBao. */
export type VaultEnvironment = {
  /** Origin of the server, without a trailing slash. */
  address: string;
  namespace: string | undefined;
  /** If the token is read from a file, it is read again when the file changes. */
  token: { kind: 'value'; value: string } | { kind: 'file'; file: string };
  mount: string;
  key: string;
};

/**
 * Where the keys are stored. `generated` is a key ring that is created at the first start, beside the embedded
 * database. If both a ring and Vault are configured, `active` says which of them wraps new data keys; the other only
 * unwraps.
 */
type KeyLocation =
  | { kind: 'configured'; ring: RingKeys; vault?: undefined; directory: string }
  | {
      kind: 'configured';
      ring?: RingKeys | undefined;
      vault: VaultEnvironment;
      active: 'ring' | 'vault';
      directory: string;
    }
  | { kind: 'generated'; dataDir: string };

export type EncryptionEnvironment = {
  /** Whether rows are written encrypted. If there are keys, encrypted rows can be read in either case. */
  encrypts: boolean;
  keys: KeyLocation | undefined;
};

const KEY_BYTES = 32;
const KEY_PATTERN = /^([\w.-]{1,64}):([A-Za-z0-9+/]+={0,2})$/;

const ring = z.string().transform((text, context): RingKeys => {
  const keys = text
    .split(',')
    .map((item) => KEY_PATTERN.exec(item.trim()))
    .map((match) => (match === null ? undefined : { name: match[1]!, key: match[2]! }));
  const isValid = keys.every((key) => key !== undefined && Buffer.from(key.key, 'base64').length === KEY_BYTES);
  const isUnique = new Set(keys.map((key) => key?.name)).size === keys.length;
  if (isValid && isUnique) return keys as unknown as RingKeys;
  context.addIssue({
    code: 'custom',
    message:
      'must be a comma-separated list of name:key with different names and keys of 32 bytes in base64, for example 2026:$(openssl rand -base64 32)',
  });
  return z.NEVER;
});

export const encryptionVariables = declareVariables('Encryption', {
  ENCRYPTION: z.enum(['on', 'off'], { error: 'must be on or off' }).optional().meta({
    description:
      '`off`: names, contact data and free texts are written to the database in clear text; what is encrypted is still read if there are keys. Default: `on` if there are keys; the embedded database makes its own.',
    required: 'with `NODE_ENV=production` and `DATABASE_URL`, unless `ENCRYPTION_KEYS` is set',
  }),
  ENCRYPTION_KEYS: ring.optional().meta({
    secret: true,
    description:
      'The key ring: comma-separated `name:key`, each key 32 random bytes in base64. The first key encrypts new data keys; the others are only read, until `npm run rotate-keys` has replaced them. Without these keys, encrypted data is lost (operations.md).',
  }),
  ENCRYPTION_KEY_DIRECTORY: z.string().optional().meta({
    description:
      'Directory with the encrypted data keys, which all instances share. It must not be part of the backups of the database. Default with the embedded database: `keys` in `DATA_DIR`.',
    required: 'with `DATABASE_URL` and `ENCRYPTION_KEYS` or `VAULT_ADDR`',
  }),
  ENCRYPTION_WRAPPING: z.enum(['ring', 'vault'], { error: 'must be ring or vault' }).optional().meta({
    description:
      'With `ENCRYPTION_KEYS` and `VAULT_ADDR`: which of them encrypts new data keys, and those that `npm run rotate-keys` finds. The other one only decrypts. Default: `vault`.',
  }),
  VAULT_ADDR: z
    .url({ protocol: /^https?$/, error: 'must be the http(s) URL of Vault, such as https://vault.example.org:8200' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'URL of HashiCorp Vault or OpenBao, whose transit engine encrypts the data keys. Absent: `ENCRYPTION_KEYS`.',
    ),
  VAULT_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be a token of Vault')
    .optional()
    .meta({
      secret: true,
      description:
        'Token with which Vault is called. It may be replaced in its file, which is read again when it changes. A renewable token is renewed.',
      required: 'with `VAULT_ADDR`',
    }),
  VAULT_NAMESPACE: z.string().optional().describe('Namespace of Vault Enterprise or OpenBao.'),
  VAULT_TRANSIT_MOUNT: z
    .string()
    .regex(/^\w[\w.-]*(\/\w[\w.-]*)*$/, 'must be a path such as transit')
    .default('transit')
    .describe('Path at which the transit engine is mounted.'),
  VAULT_TRANSIT_KEY: z
    .string()
    .regex(/^\w[\w.-]{0,127}$/, 'must be the name of a transit key')
    .default('care-scheduling')
    .describe('Name of the transit key, of the default type `aes256-gcm96` or another AEAD type.'),
});

/** The file that `VAULT_TOKEN` was read from. The documentation lists such variables together with their secrets. */
export const vaultTokenFileVariable = { VAULT_TOKEN_FILE: z.string().optional() };

type EncryptionVariables = z.output<z.ZodObject<typeof encryptionVariables & typeof vaultTokenFileVariable>> & {
  DATABASE_URL?: string | undefined;
};

/** Lists violations of rules that involve several variables, as [variable, message] pairs. */
export function findEncryptionProblems(values: EncryptionVariables, isProduction: boolean): [string, string][] {
  const { ENCRYPTION: mode, ENCRYPTION_KEYS: keys, ENCRYPTION_KEY_DIRECTORY: directory } = values;
  const { DATABASE_URL: url, VAULT_ADDR: vault } = values;
  const problems = findVaultProblems(values);
  if (url === undefined) return problems;
  const source = vault === undefined ? 'ENCRYPTION_KEYS' : 'VAULT_ADDR';
  if ((keys !== undefined || vault !== undefined) && directory === undefined)
    return [...problems, ['ENCRYPTION_KEY_DIRECTORY', `must be set when ${source} and DATABASE_URL are`]];
  if (keys !== undefined || vault !== undefined || mode === 'off') return problems;
  if (mode === 'on') return [['ENCRYPTION_KEYS', 'must be set when ENCRYPTION=on and DATABASE_URL are']];
  if (!isProduction) return [];
  return [['ENCRYPTION_KEYS', 'must be set in production, or ENCRYPTION=off to store data of Clients in clear text']];
}

function findVaultProblems(values: EncryptionVariables): [string, string][] {
  const { ENCRYPTION_KEYS: keys, ENCRYPTION_WRAPPING: wrapping, VAULT_ADDR: vault, VAULT_TOKEN: token } = values;
  const problems: [string, string][] = [];
  if (wrapping === 'vault' && vault === undefined)
    problems.push(['VAULT_ADDR', 'must be set when ENCRYPTION_WRAPPING=vault is']);
  if (wrapping === 'ring' && keys === undefined)
    problems.push(['ENCRYPTION_KEYS', 'must be set when ENCRYPTION_WRAPPING=ring is']);
  if (vault === undefined) return problems;
  if (token === undefined) problems.push(['VAULT_TOKEN', 'must be set when VAULT_ADDR is']);
  return problems;
}

export function toEncryptionEnvironment(values: EncryptionVariables & { DATA_DIR: string }): EncryptionEnvironment {
  const keys = toKeyLocation(values);
  return { encrypts: keys !== undefined && values.ENCRYPTION !== 'off', keys };
}

function toKeyLocation(values: EncryptionVariables & { DATA_DIR: string }): KeyLocation | undefined {
  const { ENCRYPTION_KEYS: ring, DATABASE_URL: url, DATA_DIR: dataDir } = values;
  const directory = values.ENCRYPTION_KEY_DIRECTORY ?? `${dataDir}/keys`;
  const vault = toVaultEnvironment(values);
  if (vault !== undefined)
    return { kind: 'configured', ring, vault, active: values.ENCRYPTION_WRAPPING ?? 'vault', directory };
  if (ring !== undefined) return { kind: 'configured', ring, directory };
  // An in-memory database stores nothing, so it needs no encryption.
  return url !== undefined || dataDir.startsWith('memory:') ? undefined : { kind: 'generated', dataDir };
}

function toVaultEnvironment(values: EncryptionVariables): VaultEnvironment | undefined {
  const { VAULT_ADDR: address, VAULT_TOKEN: value, VAULT_TOKEN_FILE: file, VAULT_NAMESPACE: namespace } = values;
  if (address === undefined || value === undefined) return undefined;
  const token = file === undefined ? ({ kind: 'value', value } as const) : ({ kind: 'file', file } as const);
  return { address, namespace, token, mount: values.VAULT_TRANSIT_MOUNT, key: values.VAULT_TRANSIT_KEY };
}
