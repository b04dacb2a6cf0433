import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenEnvironment } from '../../shared/config/env.js';

/** As many as of one that is configured (RFC 7518, section 3.2). */
const MIN_SECRET_BYTES = 32;

let inMemorySecret: string | undefined;

/**
 * The shared secret of HS256: configured, or generated once into the data directory. undefined where a key set verifies instead.
 *
 * @throws Error for a file with less than a secret: one that could not be written to its end, or was put there
 */
export function getSigningSecret({ key }: TokenEnvironment): string | undefined {
  if (key.kind === 'secret') return key.secret;
  if (key.kind === 'keySet') return undefined;
  return key.dataDir.startsWith('memory:') ? (inMemorySecret ??= generateSecret()) : readOrCreateSecret(key.dataDir);
}

function readOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, 'jwt-secret');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // "wx" fails when the file is there, so that of two starts at once only one writes.
    writeFileSync(file, generateSecret(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (Buffer.byteLength(secret) >= MIN_SECRET_BYTES) return secret;
  throw new Error(`${file} must hold at least ${MIN_SECRET_BYTES} bytes; without it, a new one is generated.`);
}

function generateSecret(): string {
  return randomBytes(48).toString('base64url');
}
