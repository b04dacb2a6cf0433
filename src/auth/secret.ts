import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TokenEnvironment } from '../shared/env.js';

let inMemory: string | undefined;

/**
 * The shared secret of HS256: configured, or generated once into the data directory (decisions,
 * section 4). undefined where a key set verifies instead.
 */
export function signingSecret({ key }: TokenEnvironment): string | undefined {
  if (key.kind === 'secret') return key.secret;
  if (key.kind === 'keySet') return undefined;
  return key.dataDir.startsWith('memory:') ? (inMemory ??= newSecret()) : secretIn(key.dataDir);
}

function secretIn(dataDir: string): string {
  const file = join(dataDir, 'jwt-secret');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // "wx" fails when the file is there, so that of two starts at once only one writes.
    writeFileSync(file, newSecret(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

function newSecret(): string {
  return randomBytes(48).toString('base64url');
}
