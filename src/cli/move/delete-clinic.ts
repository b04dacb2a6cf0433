import type { Client } from 'pg';
import { recordCommand } from '../../audit/index.js';
import type { DataKeys } from '../../shared/encryption/index.js';
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
  const tables = await readMovedTables(client, clinicId);
  let deleted = 0;
  // Triggers add the names of deleted records to these tables, which are deleted last.
  const isLog = ({ name }: { name: string }) => name.startsWith('removed_') || name === 'hidden_session';
  for (const table of [...tables].reverse().toSorted((a, b) => rank(a) - rank(b))) {
    const { rowCount } = await client.query(`delete from ${quoteName(table)} where ${table.condition}`);
    deleted += rowCount ?? 0;
  }
  return deleted;

  function rank(table: { name: string }): number {
    return table.name === 'clinic' ? 2 : isLog(table) ? 1 : 0;
  }
}
