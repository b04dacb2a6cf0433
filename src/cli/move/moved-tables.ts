import type { Client } from 'pg';
import { readBackupTables, type BackupTable } from '../backup/catalog.js';
import { CommandError } from '../command-error.js';

/** Returns the SQL condition on the rows of a Clinic. */
type RowsOf = (clinicId: number) => string;

const ofClinic: RowsOf = (clinicId) => `clinic_id = ${clinicId}`;
const ofChain: RowsOf = (clinicId) => `chain = ${clinicId}`;

/** The tables whose rows move with their Clinic. */
export const MOVED_TABLES: Readonly<Record<string, RowsOf>> = {
  administrator_access: ofClinic,
  audit_entry: ofClinic,
  audit_retirement: ofChain,
  audit_seal: ofChain,
  audit_unsealed: (clinicId) =>
    `exists (select from audit_entry e where e.id = entry_id and e.at = audit_unsealed.at and e.clinic_id = ${clinicId})`,
  book: ofClinic,
  calendar_link: ofClinic,
  care_provider: ofClinic,
  client: ofClinic,
  client_assignment: ofClinic,
  clinic: (clinicId) => `id = ${clinicId}`,
  design_plan: ofClinic,
  design_plan_revision: ofClinic,
  erasure: ofClinic,
  hidden_session: ofClinic,
  homework: ofClinic,
  // Stored responses name the Clinic. They are moved, so that a retry at the new installation gets the same response.
  idempotency_key: (clinicId) => `records @> array['clinic/${clinicId}']`,
  legal_hold: ofClinic,
  opt_out_link: ofClinic,
  reminder: ofClinic,
  reminder_preference: ofClinic,
  reminder_replanning: ofClinic,
  removed_homework: ofClinic,
  removed_record: ofClinic,
  removed_session: ofClinic,
  retention_setting: ofClinic,
  revoked_token_holder: ofClinic,
  session: ofClinic,
  session_series: ofClinic,
};

/** The tables whose rows are not moved, each with the reason. */
export const UNMOVED_TABLES: Readonly<Record<string, string>> = {
  audit_pending_command: 'Commands of the operator of this installation.',
  clinic_move: 'The move itself: each installation has a row of its own.',
  encryption_key_store: 'Each installation has a key store of its own. The keys of the Clinic are in the file.',
  id_range: 'Each installation has a range of its own.',
  instance: 'The running processes of this installation.',
  rate_limit_count: 'Counts of some minutes.',
  revoked_token: 'The rows name no Clinic. Those that have not expired are in the file beside the tables.',
  schema_migration: 'Both installations must have executed the same migrations.',
  zone_data: 'Both installations must have the same version.',
};

/** Columns with a transaction ID of this server. The import sets a transaction ID of the other server instead. */
const SERVER_COLUMNS = ['changed_in'];

/** The name of the section with those Books of the shared catalogue to which homework or plans of the Clinic refer. */
export const SHARED_BOOKS_SECTION = 'shared catalogue';

/** Reads the tables whose rows move, with the condition on the rows. Referenced tables come first. */
export async function readMovedTables(client: Client, clinicId: number): Promise<BackupTable[]> {
  const tables = await readBackupTables(client);
  const unknown = tables.find(({ name }) => !(name in MOVED_TABLES) && !(name in UNMOVED_TABLES));
  if (unknown !== undefined)
    throw new CommandError(`The table ${unknown.name} is unknown: it is listed neither as moved nor as unmoved.`);
  return tables
    .filter(({ name }) => name in MOVED_TABLES)
    .map((table) => ({ ...withoutServerColumns(table), condition: MOVED_TABLES[table.name]!(clinicId) }));
}

/** Returns the table of Books, restricted to those of the shared catalogue that homework or plans of the Clinic use. */
export function toSharedBooksTable(
  tables: readonly BackupTable[],
  clinicId: number,
  planBookIds: ReadonlySet<number>,
): BackupTable {
  const condition = `clinic_id is null and (id = any('{${[...planBookIds].join()}}'::bigint[])
    or id in (select book_id from homework where clinic_id = ${clinicId}))`;
  return { ...tables.find(({ name }) => name === 'book')!, condition };
}

function withoutServerColumns(table: BackupTable): BackupTable {
  return { ...table, columns: table.columns.filter((column) => !SERVER_COLUMNS.includes(column)) };
}
