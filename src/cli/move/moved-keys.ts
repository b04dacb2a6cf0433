import type { Client } from 'pg';
import { splitIntoBatches } from '../../shared/batches.js';
import { KEY_BATCH_SIZE, toOwnerKey, type DataKeys, type KeyOwner } from '../../shared/encryption/index.js';
import { quoteName } from '../backup/copy.js';
import { CommandError } from '../command-error.js';
import { readEncryptedTexts } from './move-connection.js';
import type { MovedKey } from './move-manifest.js';

/**
 * Checks that each record with encrypted texts has a data key, or that its key was destroyed. Without the key, its texts
 * could not be read in the new installation, and a key that is found later could not be added there.
 *
 * @throws CommandError if the key of a record is missing
 */
export async function requireClinicKeys(client: Client, keys: DataKeys | undefined, clinicId: number): Promise<void> {
  if (keys === undefined) return;
  const owners = await findClinicKeyOwners(client, clinicId);
  const revealed = await keys.reveal(owners);
  const absent = owners.filter((_, index) => revealed[index] === 'ABSENT');
  const missing = await findOwnerOfEncryptedTexts(client, clinicId, absent);
  if (missing !== undefined)
    throw new CommandError(
      `The data key of ${missing.kind} ${missing.id} is missing, so its texts cannot move: restore its file in the key store, ` +
        'or erase the record.',
    );
}

/** Reads the data keys of a Clinic and of all of its people. Records without encrypted values have no key. */
export async function readClinicKeys(client: Client, keys: DataKeys, clinicId: number): Promise<MovedKey[]> {
  const owners = await findClinicKeyOwners(client, clinicId);
  const revealed = await keys.reveal(owners);
  return owners.flatMap((owner, index) => {
    const key = revealed[index]!;
    return key === 'ABSENT' ? [] : [{ ...owner, key: key === 'DESTROYED' ? null : key.toString('base64') }];
  });
}

/**
 * Requires that the keys of a file belong to the imported Clinic. Otherwise, a file could destroy the keys of other
 * Clinics or of the installation.
 *
 * @throws CommandError if a key has another owner
 */
export async function requireOwnKeys(client: Client, clinicId: number, moved: readonly MovedKey[]): Promise<void> {
  const own = new Set((await findClinicKeyOwners(client, clinicId)).map(toOwnerKey));
  const other = moved.find((owner) => !own.has(toOwnerKey(owner)));
  if (other !== undefined)
    throw new CommandError(`The file has a key of ${other.kind} ${other.id}, which does not belong to the Clinic.`);
}

/**
 * Stores data keys, encrypted with the key ring of this installation. Keys that were destroyed are marked as destroyed.
 *
 * @throws CommandError if a record with the same ID has another key
 */
export async function storeMovedKeys(keys: DataKeys, moved: readonly MovedKey[]): Promise<void> {
  const owned = moved.flatMap(({ key, ...owner }) =>
    key === null ? [] : [{ owner, dataKey: Buffer.from(key, 'base64') }],
  );
  for (const batch of splitIntoBatches(owned, KEY_BATCH_SIZE)) {
    const adopted = await keys.adopt(batch);
    const other = batch.find((_, index) => !adopted[index]);
    if (other !== undefined)
      throw new CommandError(`The key store has another key of ${other.owner.kind} ${other.owner.id}.`);
  }
  await keys.destroy(moved.flatMap(({ key, ...owner }) => (key === null ? [owner] : [])));
}

/** Finds the first of these owners whose rows have encrypted texts. */
async function findOwnerOfEncryptedTexts(
  client: Client,
  clinicId: number,
  owners: readonly KeyOwner[],
): Promise<KeyOwner | undefined> {
  if (owners.length === 0) return undefined;
  for (const { table, ownerKind: kind, ownerColumn, condition } of await readEncryptedTexts()) {
    const ids = owners.filter((owner) => owner.kind === kind).map(({ id }) => id);
    const { rows } = await client.query<{ id: string }>(
      `select ${ownerColumn} as id from ${quoteName({ name: table })}
        where clinic_id = $1 and ${ownerColumn} = any($2::bigint[]) and ${condition} limit 1`,
      [clinicId, ids],
    );
    if (rows.length > 0) return { kind, id: Number(rows[0]!.id) };
  }
  return undefined;
}

/**
 * Checks that the key store has no other keys of the same records.
 *
 * @throws CommandError if it has, or if the keys were destroyed here
 */
export async function requireNoOtherKeys(keys: DataKeys, moved: readonly MovedKey[]): Promise<void> {
  const owned = moved.filter(({ key }) => key !== null);
  const stored = await keys.reveal(owned.map(({ kind, id }) => ({ kind, id })));
  for (const [index, { kind, id, key }] of owned.entries()) {
    const known = stored[index]!;
    if (known === 'DESTROYED')
      throw new CommandError(
        `The key of ${kind} ${id} was destroyed here, so its texts cannot return: a Clinic that was deleted, or a record ` +
          'that was erased, stays away.',
      );
    if (known !== 'ABSENT' && known.toString('base64') !== key)
      throw new CommandError(`The key store has another key of ${kind} ${id}.`);
  }
}

/** Finds the owners of the data keys of a Clinic: the Clinic itself, its Care Providers and its Clients. */
export async function findClinicKeyOwners(client: Client, clinicId: number): Promise<KeyOwner[]> {
  const { rows } = await client.query<{ kind: KeyOwner['kind']; id: string }>(
    `select 'CLINIC' as kind, $1::bigint as id
      union all select 'CLIENT', id from client where clinic_id = $1
      union all select 'CARE_PROVIDER', id from care_provider where clinic_id = $1`,
    [clinicId],
  );
  return rows.map(({ kind, id }) => ({ kind, id: Number(id) }));
}
