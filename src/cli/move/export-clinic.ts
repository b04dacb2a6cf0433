import type { Client } from 'pg';
import type { DataKeys } from '../../shared/encryption/index.js';
import { readMigrationNames, type BackupTable } from '../backup/catalog.js';
import { BEGIN_SNAPSHOT, beginLockedSnapshot } from '../backup/connection.js';
import { quoteName, readTableRows } from '../backup/copy.js';
import { closeClinic, type ClosingCallbacks } from './close-clinic.js';
import { createEncrypter, requireWritable, writeEncryptedFile } from './encrypted-file.js';
import { encodeJsonFrame, encodeRowsFrame } from './frames.js';
import { readCurrentIdRange } from './id-range.js';
import { inMoveTransaction, requireIntactAuditTrail } from './move-connection.js';
import type { MovedKey, MoveHead } from './move-manifest.js';
import { requireClinicExists, requireNotCancelled, type MoveCredentials } from './move-state.js';
import { readClinicKeys, requireClinicKeys } from './moved-keys.js';
import { readMovedTables, SHARED_BOOKS_SECTION, toSharedBooksTable } from './moved-tables.js';
import { findPlanBookIds } from './plan-books.js';
import { readRevocations } from './revocations.js';

/** The number of rows in each section of a move. A section contains the rows of one table. */
export type SectionRowCounts = { section: string; rows: number }[];

type ClinicExportOptions = { clinicId: number; recipient: string; output: string; keys: DataKeys | undefined };
type ExportProgressCallbacks = ClosingCallbacks & { onRows: (done: number, total: number) => void };

/** Counts the rows that would be moved, without changing anything. */
export function previewExport(clinicId: number, keys: DataKeys | undefined): Promise<SectionRowCounts> {
  return inMoveTransaction(async (client) => {
    await requireClinicExists(client, clinicId);
    await requireClinicKeys(client, keys, clinicId);
    return countSections(client, await findSections(client, clinicId, keys));
  }, BEGIN_SNAPSHOT);
}

/** Closes a Clinic, and writes its rows and keys to a file that only the receiver can decrypt. */
export async function exportClinic(
  { clinicId, recipient, output, keys }: ClinicExportOptions,
  progress: ExportProgressCallbacks,
): Promise<SectionRowCounts> {
  const encrypter = createEncrypter(recipient);
  await requireWritable(output);
  await inMoveTransaction(async (client) => {
    await requireClinicExists(client, clinicId);
    await requireClinicKeys(client, keys, clinicId);
  });
  await requireIntactAuditTrail(clinicId);
  const credentials = await closeClinic(clinicId, progress);
  const tables = await inMoveTransaction((client) => readMovedTables(client, clinicId));
  return inMoveTransaction(async (client) => {
    const sections = await findSections(client, clinicId, keys);
    const head = await createHead(client, clinicId, credentials, keys);
    const moved = keys === undefined ? [] : await readClinicKeys(client, keys, clinicId);
    const counts = await countSections(client, sections);
    await writeEncryptedFile(
      output,
      encrypter,
      encodeMove(client, head, sections, moved, createRowCounter(counts, progress)),
    );
    return counts;
  }, beginLockedSnapshot(tables));
}

type Section = { name: string; table: BackupTable };

/** The Books of the shared catalogue come first, because homework refers to them. */
async function findSections(client: Client, clinicId: number, keys: DataKeys | undefined): Promise<Section[]> {
  const tables = await readMovedTables(client, clinicId);
  const planBookIds = await findPlanBookIds(client, clinicId, keys);
  return [
    { name: SHARED_BOOKS_SECTION, table: toSharedBooksTable(tables, clinicId, planBookIds) },
    ...tables.map((table) => ({ name: table.name, table })),
  ];
}

async function countSections(client: Client, sections: readonly Section[]): Promise<SectionRowCounts> {
  const counts: SectionRowCounts = [];
  for (const { name, table } of sections) {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) as count from ${quoteName(table)} where ${table.condition}`,
    );
    counts.push({ section: name, rows: Number(rows[0]!.count) });
  }
  return counts;
}

export function sumRows(counts: SectionRowCounts): number {
  return counts.reduce((sum, { rows }) => sum + rows, 0);
}

function createRowCounter(counts: SectionRowCounts, { onRows }: ExportProgressCallbacks): (rows: number) => void {
  const total = sumRows(counts);
  let done = 0;
  return (rows) => onRows((done += rows), total);
}

async function createHead(
  client: Client,
  clinicId: number,
  credentials: MoveCredentials,
  keys: DataKeys | undefined,
): Promise<MoveHead> {
  const { rows } = await client.query<Pick<MoveHead, 'takenAt' | 'zoneData' | 'auditFrom' | 'auditTo'>>(
    `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "takenAt",
      (select version from zone_data order by id desc limit 1) as "zoneData",
      (select min(at)::text from audit_entry where clinic_id = $1) as "auditFrom",
      (select max(at)::text from audit_entry where clinic_id = $1) as "auditTo"`,
    [clinicId],
  );
  const revocations = await readRevocations(client, clinicId);
  const { number: idRange } = await readCurrentIdRange(client);
  const migrations = await readMigrationNames(client);
  const keyStoreId = (await keys?.readStoreId()) ?? null;
  return { format: 1, ...credentials, clinicId, ...rows[0]!, migrations, idRange, keyStoreId, ...revocations };
}

async function* encodeMove(
  client: Client,
  head: MoveHead,
  sections: readonly Section[],
  keys: MovedKey[],
  onRows: (rows: number) => void,
): AsyncGenerator<Buffer> {
  yield encodeJsonFrame(head);
  for (const { name, table } of sections) {
    yield encodeJsonFrame({ section: name, columns: table.columns });
    const rows = readTableRows(client, table);
    for (;;) {
      const { done, value } = await rows.next();
      yield done ? encodeJsonFrame(value) : encodeRowsFrame(value);
      if (!done) continue;
      onRows(value.rows);
      break;
    }
  }
  yield encodeJsonFrame({ keys });
  await requireNotCancelled(head.clinicId, head);
  yield encodeJsonFrame({ sections: sections.length, keys: keys.length });
}
