import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EncryptionEnvironment } from '../config/env.js';
import { DataKeys } from './data-keys.js';
import { DirectoryKeyStore } from './directory-key-store.js';
import { KeyRing } from './key-ring.js';

const RING_KEY_FILE = 'encryption-key';

/** Opens the keys of an installation. Returns undefined if it has none. */
export function openDataKeys({ encrypts, keys }: EncryptionEnvironment): DataKeys | undefined {
  if (keys === undefined) return undefined;
  if (keys.kind === 'configured') return new DataKeys(new KeyRing(keys.ring), new DirectoryKeyStore(keys.directory));
  if (!encrypts && !existsSync(join(keys.dataDir, RING_KEY_FILE))) return undefined;
  const ring = new KeyRing([{ name: 'generated', key: readOrCreateRingKey(keys.dataDir) }]);
  return new DataKeys(ring, new DirectoryKeyStore(join(keys.dataDir, 'keys')));
}

/**
 * Reads the key of the ring for the embedded database, or creates it. This is enough to try out the service, but a copy
 * of the data directory contains both the key and the data.
 */
function readOrCreateRingKey(dataDir: string): string {
  const file = join(dataDir, RING_KEY_FILE);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    // The flag "wx" makes the call fail if the file exists, so only one of two processes that start together writes it.
    writeFileSync(file, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600 });
    new Logger('Encryption').log({ file }, 'a key was made beside the embedded database: keep both, or neither');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
