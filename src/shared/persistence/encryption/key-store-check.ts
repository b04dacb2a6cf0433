import type { EntityManager } from '@mikro-orm/core';
import { INSTALLATION_KEY_OWNER, type DataKeys } from '../../encryption/index.js';

/**
 * The database needs keys that the service does not have. The service does not start without them, because it would
 * lose data.
 */
export class MissingKeysError extends Error {}

/**
 * Checks that the service has the keys with which the database was encrypted, before it reads or writes any row. The
 * database remembers the key store that it was first used with.
 *
 * @throws MissingKeysError if the database belongs to another key store, if the key store cannot be used, or if the ring
 *   cannot unwrap its keys
 */
export async function requireMatchingKeyStore(em: EntityManager, keys: DataKeys | undefined): Promise<void> {
  const connection = em.fork().getConnection();
  const known = await readStoreId(em);
  if (keys === undefined) {
    if (known === undefined) return;
    throw new MissingKeysError(
      'The database has encrypted data: set ENCRYPTION_KEYS or VAULT_ADDR, and ENCRYPTION_KEY_DIRECTORY.',
    );
  }
  const own = await readOwnStoreId(keys, known);
  requireStore(known ?? own, own);
  await keys.recover();
  if ((await keys.loadOrCreate([INSTALLATION_KEY_OWNER]).catch(() => undefined)) === undefined)
    throw new MissingKeysError(
      keys.server === undefined
        ? 'The keys in ENCRYPTION_KEY_DIRECTORY cannot be decrypted with ENCRYPTION_KEYS.'
        : `The keys in ENCRYPTION_KEY_DIRECTORY cannot be decrypted: ${keys.server.fault ?? 'Vault did not encrypt them'}.`,
    );
  if (known !== undefined) return;
  // Only now, so that after a first start that fails, the service can still be started without encryption.
  await connection.execute('insert into encryption_key_store (id) values (?) on conflict do nothing', [own], 'run');
  requireStore((await readStoreId(em))!, own);
}

/**
 * Checks that keys are those with which the database was encrypted, and changes nothing.
 *
 * @throws MissingKeysError if the database belongs to another key store, or to none
 */
export async function requireKeyStoreOf(em: EntityManager, keys: DataKeys): Promise<void> {
  const known = await readStoreId(em);
  if (known === undefined) throw new MissingKeysError('The database has no encrypted data.');
  requireStore(known, await readOwnStoreId(keys, known));
}

/** Reads the ID of the key store that the database was first used with. */
async function readStoreId(em: EntityManager): Promise<string | undefined> {
  const connection = em.fork().getConnection();
  const rows = (await connection.execute('select id from encryption_key_store')) as { id: string }[];
  return rows[0]?.id;
}

/** @throws MissingKeysError if the key store of the database is another one than that of the service */
function requireStore(expected: string, own: string): void {
  if (expected === own) return;
  throw new MissingKeysError(
    `The database was encrypted with the keys of the store ${expected}, but ENCRYPTION_KEY_DIRECTORY has the store ${own}.`,
  );
}

/** Reads the ID of the key store, which is created only for a database that knows none. */
async function readOwnStoreId(keys: DataKeys, known: string | undefined): Promise<string> {
  try {
    if (known === undefined || (await keys.findStoreId()) !== undefined) return await keys.readStoreId();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new MissingKeysError(
      `ENCRYPTION_KEY_DIRECTORY cannot be used (${code}): the account of the service needs read and write access to it.`,
      { cause: error },
    );
  }
  throw new MissingKeysError(
    `The database was encrypted with the keys of the store ${known}, but ENCRYPTION_KEY_DIRECTORY has no key store: is it the right directory, and is its volume mounted?`,
  );
}
