import { quoteIdentifier } from '../backup/copy.js';
import { allowChanges, inMoveTransaction } from './move-connection.js';
import { requireArrived } from './move-state.js';
import { readMovedTables } from './moved-tables.js';
import { recordCommand } from '../../audit/index.js';

/**
 * Deletes an imported Clinic that is not open, because the old installation has cancelled the move. Its data keys stay in
 * the key store, so that it can be imported again.
 *
 * @returns the number of deleted rows
 */
export function discardClinic(clinicId: number): Promise<number> {
  return inMoveTransaction(async (client) => {
    await requireArrived(client, clinicId);
    await recordCommand({ name: 'import-clinic', access: 'WRITE', records: [`clinic/${clinicId}`] }, (text, values) =>
      client.query(text, values),
    );
    await allowChanges(client);
    await client.query(`select set_config('app.audit_retiring', 'on', true)`);
    await client.query('delete from clinic_move where clinic_id = $1', [clinicId]);
    const tables = await readMovedTables(client, clinicId);
    let deleted = 0;
    // Triggers add the names of deleted records to these tables, which are deleted last.
    const isLog = ({ name }: { name: string }) => name.startsWith('removed_') || name === 'hidden_session';
    for (const table of [...tables].reverse().toSorted((a, b) => rank(a) - rank(b))) {
      const { rowCount } = await client.query(`delete from ${quoteIdentifier(table)} where ${table.condition}`);
      deleted += rowCount ?? 0;
    }
    return deleted;

    function rank(table: { name: string }): number {
      return table.name === 'clinic' ? 2 : isLog(table) ? 1 : 0;
    }
  });
}
