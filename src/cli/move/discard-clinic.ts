import { deleteClinicRows } from './delete-clinic.js';
import { inMoveTransaction } from './move-connection.js';
import { requireUnopenedImport } from './move-state.js';
import { recordCommand } from '../../audit/index.js';

/**
 * Deletes an imported Clinic that is not open, because the old installation has cancelled the move. Its data keys stay in
 * the key store, so that it can be imported again.
 *
 * @returns the number of deleted rows
 */
export function discardImportedClinic(clinicId: number): Promise<number> {
  return inMoveTransaction(async (client) => {
    await requireUnopenedImport(client, clinicId);
    await recordCommand({ name: 'import-clinic', access: 'WRITE', records: [`clinic/${clinicId}`] }, (text, values) =>
      client.query(text, values),
    );
    return deleteClinicRows(client, clinicId);
  });
}
