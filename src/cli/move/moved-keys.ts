import type { Client } from 'pg';
import { KEY_BATCH_SIZE, toOwnerKey, type DataKeys, type KeyOwner } from '../../shared/encryption/index.js';
import { CommandError } from '../command-error.js';
import type { MovedKey } from './move-manifest.js';

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
  for (let start = 0; start < owned.length; start += KEY_BATCH_SIZE) {
    const batch = owned.slice(start, start + KEY_BATCH_SIZE);
    const adopted = await keys.adopt(batch);
    const other = batch.find((_, index) => !adopted[index]);
    if (other !== undefined)
      throw new CommandError(`The key store has another key of ${other.owner.kind} ${other.owner.id}.`);
  }
  await keys.destroy(moved.flatMap(({ key, ...owner }) => (key === null ? [owner] : [])));
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
