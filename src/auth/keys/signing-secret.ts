import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenEnvironment } from '../../shared/config/env.js';

/** Minimum length of the stored secret, the same as for a configured one (RFC 7518, section 3.2). */
const MIN_SECRET_BYTES = 32;

let inMemorySecret: string | undefined;

/**
 * Returns the shared secret for HS256: the configured one, or one that is generated once and stored in the data
 * directory. Returns undefined if tokens are verified with a key set.
 *
 * @throws Error if the stored secret is too short, for example because the disk was full when it was written
 */
export function getOrCreateSigningSecret({ key }: TokenEnvironment): string | undefined {
  if (key.kind === 'secret') return key.secret;
  if (key.kind === 'keySet') return undefined;
  return key.dataDir.startsWith('memory:') ? (inMemorySecret ??= generateSecret()) : readOrCreateSecret(key.dataDir);
}

/**
 * Checks that there is a secret to verify tokens with, without generating one.
 *
 * @throws Error if the secret is generated at the first start of the service, and the service has not started
 */
export function assertSigningSecretExists({ key }: TokenEnvironment): void {
  if (key.kind !== 'generated' || existsSync(toSecretFile(key.dataDir))) return;
  const remedy = 'Start the service first, or set DATA_DIR to the directory of the service.';
  throw new Error(`${toSecretFile(key.dataDir)} does not exist, so no token can be verified. ${remedy}`);
}

function toSecretFile(dataDir: string): string {
  return join(dataDir, 'jwt-secret');
}

function readOrCreateSecret(dataDir: string): string {
  const file = toSecretFile(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // The flag "wx" makes the call fail if the file exists, so only one of two processes that start together writes it.
    writeFileSync(file, generateSecret(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (Buffer.byteLength(secret) >= MIN_SECRET_BYTES) return secret;
  throw new Error(`${file} must contain at least ${MIN_SECRET_BYTES} bytes. Delete the file to generate a new secret.`);
}

function generateSecret(): string {
  return randomBytes(48).toString('base64url');
}
