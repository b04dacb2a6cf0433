import { z } from 'zod';
import { declareVariables } from './declared-variables.js';

/* How names, contact data and free texts are encrypted (docs/encryption.md). */

type RingKey = { name: string; key: string };
export type RingKeys = readonly [RingKey, ...RingKey[]];

/**
 * Where the keys are stored. `generated` means a key ring that is created at the first start, beside the embedded
 * database.
 */
export type KeyLocation =
  { kind: 'configured'; ring: RingKeys; directory: string } | { kind: 'generated'; dataDir: string };

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
    required: 'with `ENCRYPTION_KEYS` and `DATABASE_URL`',
  }),
});

type EncryptionVariables = z.output<z.ZodObject<typeof encryptionVariables>> & {
  DATABASE_URL?: string | undefined;
  DATA_DIR: string;
};

/** Lists violations of rules that involve several variables, as [variable, message] pairs. */
export function findEncryptionProblems(values: EncryptionVariables, isProduction: boolean): [string, string][] {
  const { ENCRYPTION: mode, ENCRYPTION_KEYS: keys, ENCRYPTION_KEY_DIRECTORY: directory, DATABASE_URL: url } = values;
  if (url === undefined) return [];
  if (keys !== undefined && directory === undefined)
    return [['ENCRYPTION_KEY_DIRECTORY', 'must be set when ENCRYPTION_KEYS and DATABASE_URL are']];
  if (keys !== undefined || mode === 'off') return [];
  if (mode === 'on') return [['ENCRYPTION_KEYS', 'must be set when ENCRYPTION=on and DATABASE_URL are']];
  if (!isProduction) return [];
  return [['ENCRYPTION_KEYS', 'must be set in production, or ENCRYPTION=off to store data of Clients in clear text']];
}

export function toEncryptionEnvironment(values: EncryptionVariables): EncryptionEnvironment {
  const keys = toKeyLocation(values);
  return { encrypts: keys !== undefined && values.ENCRYPTION !== 'off', keys };
}

function toKeyLocation(values: EncryptionVariables): KeyLocation | undefined {
  const { ENCRYPTION_KEYS: keys, DATABASE_URL: url, DATA_DIR: dataDir } = values;
  const directory = values.ENCRYPTION_KEY_DIRECTORY ?? `${dataDir}/keys`;
  if (keys !== undefined) return { kind: 'configured', ring: keys, directory };
  // An embedded database in memory keeps nothing that could be encrypted.
  return url !== undefined || dataDir.startsWith('memory:') ? undefined : { kind: 'generated', dataDir };
}
