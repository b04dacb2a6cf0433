import pg, { type Client } from 'pg';
import { joinAssignedIds, readSequences, type BackupTable } from '../backup/catalog.js';
import { quoteName } from '../backup/copy.js';
import { CommandError } from '../command-error.js';

const UNIQUE_VIOLATION = '23505';

/**
 * Checks that no other record has an ID of the imported rows, and that this installation will not assign one of these IDs
 * later. Most primary keys contain the Clinic, so the database itself would accept the same ID twice.
 */
export async function requireNoIdCollisions(
  client: Client,
  tables: readonly BackupTable[],
  clinicId: number,
): Promise<void> {
  const sequences = await readSequences(client);
  for (const table of tables.filter(({ columns }) => columns.includes('id') && columns.includes('clinic_id'))) {
    const { rows } = await client.query<{ id: string }>(
      `select other.id from ${quoteName(table)} own join ${quoteName(table)} other using (id)
        where own.clinic_id = $1 and other.clinic_id is distinct from $1 limit 1`,
      [clinicId],
    );
    if (rows.length > 0) throw new CommandError(`${table.name} ${rows[0]!.id} exists here.`);
  }
  for (const { name, table, column } of sequences) {
    const moved = tables.find((one) => one.name === table);
    if (moved === undefined || column === null) continue;
    const id = quoteName({ name: column });
    const { rows } = await client.query<{ id: string }>(
      `select ${id} as id from ${quoteName(moved)} ${joinAssignedIds(id)}
        where ${moved.condition} and ${id} > coalesce(pg_sequence_last_value(seqrelid), 0)
        limit 1`,
      [quoteName({ name })],
    );
    if (rows.length > 0)
      throw new CommandError(
        `${moved.name} ${rows[0]!.id} has an id that this installation assigns: see "npm run id-range".`,
      );
  }
}

/** Describes a violation of a unique constraint by its table and key. Returns other errors as they are. */
export function toCollisionError(error: unknown, section?: string): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) return error;
  return new CommandError(`${section ?? error.table} has a row that exists here: ${error.detail ?? error.message}`);
}
