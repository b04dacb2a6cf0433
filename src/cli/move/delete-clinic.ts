import type { Client } from 'pg';
import { recordCommand } from '../../audit/index.js';
import type { DataKeys } from '../../shared/encryption/index.js';
import type { BackupTable } from '../backup/catalog.js';
import { quoteName } from '../backup/copy.js';
import { allowChangesOfClosedClinic, inMoveTransaction } from './move-connection.js';
import { requireCompletedMoveAway } from './move-state.js';
import { findClinicKeyOwners } from './moved-keys.js';
import { readMovedTables } from './moved-tables.js';

/**
 * Deletes the closed rows of a Clinic that has moved away, and destroys its data keys here, so that backups from before
 * are unreadable. Can be repeated if it is interrupted.
 *
 * @param code the code that the other installation has printed when it opened the Clinic
 * @returns the number of deleted rows
 */
export function deleteMovedClinic(clinicId: number, code: string, keys: DataKeys | undefined): Promise<number> {
  return inMoveTransaction(async (client) => {
    await requireCompletedMoveAway(client, clinicId, code);
    await recordCommand({ name: 'export-clinic', access: 'WRITE', records: [`clinic/${clinicId}`] }, (text, values) =>
      client.query(text, values),
    );
    const owners = await findClinicKeyOwners(client, clinicId);
    const deleted = await deleteClinicRows(client, clinicId);
    // The keys are found by the rows, so they are destroyed before the deletion is committed.
    await keys?.destroy(owners);
    return deleted;
  });
}

/** Deletes all rows of a Clinic and its move. @returns their number */
export async function deleteClinicRows(client: Client, clinicId: number): Promise<number> {
  await allowChangesOfClosedClinic(client);
  await client.query(`select set_config('app.audit_retiring', 'on', true)`);
  await client.query('delete from clinic_move where clinic_id = $1', [clinicId]);
  const tables = (await readMovedTables(client, clinicId)).reverse();
  const clinic = tables.filter(({ name }) => name === 'clinic');
  const logs = tables.filter(({ name }) => name.startsWith('removed_') || name === 'hidden_session');
  const records = tables.filter((table) => !clinic.includes(table) && !logs.includes(table));
  const deleted = await deleteRows(client, [...logs, ...records]);
  // Triggers have added the IDs of the deleted records to these tables.
  await deleteRows(client, logs);
  return deleted + (await deleteRows(client, clinic));
}

async function deleteRows(client: Client, tables: readonly BackupTable[]): Promise<number> {
  let deleted = 0;
  for (const table of tables) {
    const { rowCount } = await client.query(`delete from ${quoteName(table)} where ${table.condition}`);
    deleted += rowCount ?? 0;
  }
  return deleted;
}
