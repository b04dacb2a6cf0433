import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EncryptionEnvironment } from '../config/env.js';
import { DataKeys } from './data-keys.js';
import { DirectoryKeyStore } from './store/directory-key-store.js';
import { CombinedWrapper } from './wrapping/combined-wrapper.js';
import { KeyRing } from './wrapping/key-ring.js';
import type { KeyWrapper } from './wrapping/key-wrapper.js';
import { TransitWrapper } from './wrapping/transit-wrapper.js';
import { VaultClient } from './wrapping/vault-client.js';

const RING_KEY_FILE = 'encryption-key';

type ConfiguredKeys = Extract<EncryptionEnvironment['keys'], { kind: 'configured' }>;

/** Opens the keys of an installation. Returns undefined if it has none. */
export function openDataKeys({ encrypts, keys }: EncryptionEnvironment): DataKeys | undefined {
  if (keys === undefined) return undefined;
  if (keys.kind === 'configured') return new DataKeys(createWrapper(keys), new DirectoryKeyStore(keys.directory));
  if (!encrypts && !existsSync(join(keys.dataDir, RING_KEY_FILE))) return undefined;
  const ring = new KeyRing([{ name: 'generated', key: readOrCreateRingKey(keys.dataDir) }]);
  return new DataKeys(ring, new DirectoryKeyStore(join(keys.dataDir, 'keys')));
}

function createWrapper(keys: ConfiguredKeys): KeyWrapper {
  if (keys.vault === undefined) return new KeyRing(keys.ring);
  const vault = new TransitWrapper(keys.vault, new VaultClient(keys.vault));
  if (keys.ring === undefined) return vault;
  const ring = new KeyRing(keys.ring);
  return keys.active === 'vault' ? new CombinedWrapper(vault, ring) : new CombinedWrapper(ring, vault);
}

/**
 * Returns the ring key of the embedded database, which is created at the first start. It is stored beside the data keys
 * and the database, so it does not protect copies of the whole directory.
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
