import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EncryptionEnvironment } from '../../../src/shared/config/env.js';

/** A key ring that is only used by tests. */
export const TEST_RING_KEY = { name: 'test', key: Buffer.alloc(32, 7).toString('base64') };

/** Creates an empty key store for one database. `TEST_ENCRYPTION=off` runs the tests without encryption. */
export function createTestKeys(): EncryptionEnvironment {
  if (process.env['TEST_ENCRYPTION'] === 'off') return { encrypts: false, keys: undefined };
  const directory = mkdtempSync(join(tmpdir(), 'care-keys-'));
  return { encrypts: true, keys: { kind: 'configured', ring: [TEST_RING_KEY], directory } };
}

export function removeTestKeys({ keys }: EncryptionEnvironment): void {
  if (keys?.kind === 'configured') rmSync(keys.directory, { recursive: true, force: true });
}

/** Returns the environment variables that make another process of the service use the same keys. */
export function toKeyVariables({ keys }: EncryptionEnvironment): Record<string, string> {
  if (keys?.kind !== 'configured') return {};
  const ENCRYPTION_KEYS = (keys.ring ?? []).map(({ name, key }) => `${name}:${key}`).join();
  return { ENCRYPTION_KEYS, ENCRYPTION_KEY_DIRECTORY: keys.directory, ...toVaultVariables(keys) };
}

function toVaultVariables(
  keys: Extract<EncryptionEnvironment['keys'], { kind: 'configured' }>,
): Record<string, string> {
  if (keys.vault === undefined) return {};
  const { address, token, key } = keys.vault;
  return {
    ...{ VAULT_ADDR: address, VAULT_TRANSIT_KEY: key, ENCRYPTION_WRAPPING: keys.active },
    ...(token.kind === 'file' ? { VAULT_TOKEN_FILE: token.file } : { VAULT_TOKEN: token.value }),
  };
}
