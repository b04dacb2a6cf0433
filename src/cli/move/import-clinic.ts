import type { Decrypter } from 'age-encryption';
import type { Client } from 'pg';
import type { DataKeys } from '../../shared/encryption/index.js';
import type { BackupTable } from '../backup/catalog.js';
import { computeTableChecksum, insertTableRows } from '../backup/copy.js';
import { requireThisRelease } from '../backup/verify.js';
import { CommandError } from '../command-error.js';
import { requireNoIdCollisions, toCollisionError } from './collisions.js';
import type { SectionRowCounts } from './export-clinic.js';
import { readCurrentIdRange } from './id-range.js';
import {
  allowChangesOfClosedClinic,
  inMoveTransaction,
  recordMoveCommand,
  requireIntactAuditTrail,
} from './move-connection.js';
import { readEncryptedFile } from './encrypted-file.js';
import { MoveReader, type MovedKey, type MoveHead, type MoveSection } from './move-manifest.js';
import { computeReceipt, isImported } from './move-state.js';
import { requireNoOtherKeys, requireOwnKeys, storeMovedKeys } from './moved-keys.js';
import { readMovedTables, SHARED_BOOKS_SECTION } from './moved-tables.js';
import { addRevocations } from './revocations.js';
import { stageSharedBooks, addMissingSharedBooks } from './shared-books.js';

type ClinicImportOptions = {
  input: string;
  decrypter: Decrypter;
  keys: DataKeys | undefined;
  isDryRun: boolean;
  onRows: (done: number) => void;
};

/**
 * `counts` and `keys` are absent if an earlier run has imported the Clinic. `receipt` is the code that proves the import
 * to the old installation; absent in a dry run.
 */
type ClinicImportResult = { clinicId: number; counts?: SectionRowCounts; keys?: number; receipt?: string };

/** Thrown at the end of a dry run, to roll back its transaction. */
class DryRunEnd extends Error {
  constructor(readonly result: ClinicImportResult) {
    super();
  }
}

/**
 * Imports a Clinic from a file in one transaction, and verifies that its rows equal those of the old installation. The
 * Clinic stays closed until `openImportedClinic` is called. An import that was killed before it returned the receipt can
 * be repeated.
 *
 * @throws CommandError if the Clinic or one of its IDs exists, or if a row differs
 */
export async function importClinic(options: ClinicImportOptions): Promise<ClinicImportResult> {
  const reader = new MoveReader(readEncryptedFile(options.input, options.decrypter));
  try {
    const head = await reader.readHead();
    const result =
      !options.isDryRun && (await isImported(head))
        ? { clinicId: head.clinicId }
        : await addFromFile(head, reader, options);
    await requireIntactAuditTrail(head.clinicId);
    return { ...result, receipt: computeReceipt(head) };
  } catch (error) {
    if (error instanceof DryRunEnd) return error.result;
    throw toCollisionError(error);
  } finally {
    await reader.close();
  }
}

async function addFromFile(
  head: MoveHead,
  reader: MoveReader,
  options: ClinicImportOptions,
): Promise<ClinicImportResult> {
  if (!options.isDryRun) await addPartitions(head);
  return inMoveTransaction((client) => addClinic(client, head, reader, options));
}

/** Creates the partitions of the audit trail beforehand, because that locks the table for a short time. */
async function addPartitions({ auditFrom, auditTo }: MoveHead): Promise<void> {
  if (auditFrom === null) return;
  await inMoveTransaction((client) =>
    client.query('select ensure_audit_partitions($1::timestamptz, $2::timestamptz)', [auditFrom, auditTo]),
  );
}

async function addClinic(
  client: Client,
  head: MoveHead,
  reader: MoveReader,
  { keys, isDryRun, onRows }: ClinicImportOptions,
): Promise<ClinicImportResult> {
  await requireReceivable(client, head, keys);
  await allowChangesOfClosedClinic(client);
  const tables = await readMovedTables(client, head.clinicId);
  const counts = await writeSections(client, tables, reader, onRows);
  const moved = await readKeys(reader, counts.length, keys);
  await requireNoIdCollisions(client, tables, head.clinicId);
  await requireOwnKeys(client, head.clinicId, moved);
  await addRevocations(client, head.clinicId, head);
  await client.query('set constraints all immediate');
  if (keys !== undefined) await requireNoOtherKeys(keys, moved);
  const result = { clinicId: head.clinicId, counts, keys: moved.length };
  if (isDryRun) throw new DryRunEnd(result);
  await allowChangesOfClosedClinic(client, false);
  await recordMoveCommand(client, 'import-clinic', head.clinicId);
  await client.query(
    `insert into clinic_move (clinic_id, direction, move_id, secret, started_at, closed_at)
      values ($1, 'IN', $2, $3, clock_timestamp(), clock_timestamp())`,
    [head.clinicId, head.moveId, head.secret],
  );
  if (keys !== undefined) await storeMovedKeys(keys, moved);
  return result;
}

async function requireReceivable(client: Client, head: MoveHead, keys: DataKeys | undefined): Promise<void> {
  await requireThisRelease(client, 'The file', head.migrations);
  const { rows: known } = await client.query('select from clinic where id = $1', [head.clinicId]);
  if (known.length > 0) throw new CommandError(`Clinic ${head.clinicId} exists here.`);
  const { number } = await readCurrentIdRange(client);
  if (number === head.idRange)
    throw new CommandError(
      `Both installations take ids from range ${number}: give this one another range with "npm run id-range".`,
    );
  // When the old installation deletes the Clinic, it destroys the keys in its store.
  if (keys !== undefined && (await keys.readStoreId()) === head.keyStoreId)
    throw new CommandError(
      'Both installations use the same key store: give this one a store of its own (ENCRYPTION_KEY_DIRECTORY).',
    );
  const { rows } = await client.query<{ version: string }>('select version from zone_data order by id desc limit 1');
  const version = rows[0]?.version ?? null;
  if (version !== head.zoneData)
    throw new CommandError(
      `The time zone data differ: ${version ?? 'none'} here, ${head.zoneData ?? 'none'} in the file (npm run tzdata).`,
    );
}

async function writeSections(
  client: Client,
  tables: readonly BackupTable[],
  reader: MoveReader,
  onRows: (done: number) => void,
): Promise<SectionRowCounts> {
  const counts: SectionRowCounts = [];
  let done = 0;
  for (let next = await reader.readSection(); next !== undefined; next = await reader.readSection()) {
    const rows = await writeSection(client, findTable(tables, next), next, reader);
    counts.push({ section: next.section, rows });
    onRows((done += rows));
  }
  const missing = tables.find(({ name }) => !counts.some(({ section }) => section === name));
  if (missing !== undefined) throw new CommandError(`The file has no rows of ${missing.name}.`);
  return counts;
}

function findTable(tables: readonly BackupTable[], { section, columns }: MoveSection): BackupTable {
  const table = tables.find(({ name }) => name === (section === SHARED_BOOKS_SECTION ? 'book' : section));
  if (table === undefined || table.columns.join() !== columns.join())
    throw new CommandError(`The table ${section} of the file differs from that of the database.`);
  return table;
}

/** Writes the rows of a table, and reads them back. @returns their number */
async function writeSection(
  client: Client,
  table: BackupTable,
  { section }: MoveSection,
  reader: MoveReader,
): Promise<number> {
  const target = section === SHARED_BOOKS_SECTION ? await stageSharedBooks(client, table) : table;
  const inserted = await insertTableRows(client, target, reader.readRows()).catch((error: unknown) => {
    throw toCollisionError(error, section);
  });
  const expected = await reader.readChecksum();
  const { rows, sha256 } = await computeTableChecksum(client, target);
  // Only rows of the Clinic are read back.
  if (rows !== inserted) throw new CommandError(`${section} has ${inserted - rows} row(s) of another Clinic.`);
  if (rows !== expected.rows) throw new CommandError(`${section} has ${rows} rows instead of ${expected.rows}.`);
  if (sha256 !== expected.sha256) throw new CommandError(`${section} has other rows than the old installation.`);
  if (section === SHARED_BOOKS_SECTION) await addMissingSharedBooks(client, target);
  return rows;
}

async function readKeys(reader: MoveReader, sections: number, keys: DataKeys | undefined): Promise<MovedKey[]> {
  const moved = await reader.readKeys();
  const end = await reader.readEnd();
  if (end.sections !== sections || end.keys !== moved.length) throw new CommandError('The file is incomplete.');
  if (moved.length > 0 && keys === undefined)
    throw new CommandError('The Clinic is encrypted: set ENCRYPTION_KEYS and ENCRYPTION_KEY_DIRECTORY.');
  return moved;
}
