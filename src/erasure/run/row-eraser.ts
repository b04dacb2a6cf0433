// eslint-disable-next-line no-restricted-imports -- The job erases rows of all Clinics.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql, type RawBuilder } from 'kysely';
import { deleteQueueJobsSql } from '../../reminder/index.js';
import {
  rowsOfClinic,
  type RowsToErase,
  type TextToErase,
  type ErasureSubject,
  type RowsCondition,
} from '../../shared/erasure/index.js';
import { ERASED_TEXT_PLACEHOLDER, formatInstant, isDistributedTable } from '../../shared/persistence/index.js';
import type { RowCountsByKind } from '../domain/erasure.entity.js';
import { ALL_ROWS_TO_ERASE, ALL_TEXTS_TO_ERASE } from '../rows-to-erase.js';

/** Maximum number of rows that one transaction deletes or changes. Most Clients have fewer. */
const MAX_ROWS = 5_000;

/** The rows that one transaction has removed. `isLast` is false if more rows may be left, `isEmpty` if it removed any. */
type ErasedBatch = { counts: RowCountsByKind; records: string[]; isLast: boolean; isEmpty: boolean };

/** Deletes the next rows of a subject, and overwrites texts in others. Requires a transaction with the rights of `SYSTEM`. */
export async function eraseNextRows(
  em: SqlEntityManager,
  subject: ErasureSubject,
  now: Temporal.Instant,
): Promise<ErasedBatch> {
  const result: ErasedBatch = { counts: {}, records: [], isLast: false, isEmpty: true };
  if (subject.kind === 'CLIENT') await lockSeries(em, subject);
  await deleteQueueJobs(em, subject);
  let left = MAX_ROWS;
  for (const rows of ALL_ROWS_TO_ERASE) {
    const condition = rows[subject.kind]?.(subject);
    while (condition !== undefined && (await hasRows(em, rows.table, subject, condition))) {
      const ids = left > 0 ? await deleteRows(em, rows, { subject, condition, limit: left, now }) : [];
      // A statement skips a row that another transaction has just changed. The next batch finds it again.
      if (ids.length === 0) return result;
      result.isEmpty = false;
      left -= ids.length;
      const { countedAs, recordKind } = rows;
      if (countedAs !== undefined) result.counts[countedAs] = (result.counts[countedAs] ?? 0) + ids.length;
      if (recordKind !== undefined) result.records.push(...ids.map((id) => `${recordKind}/${id}`));
    }
  }
  for (const text of ALL_TEXTS_TO_ERASE) {
    const own = text[subject.kind];
    if (own !== undefined) left -= await overwriteTexts(em, text, own(subject), left);
    if (left <= 0) return result;
  }
  return { ...result, isLast: true };
}

/** Overwrites texts. Returns the number of changed rows. */
async function overwriteTexts(
  em: SqlEntityManager,
  { table, column }: TextToErase,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${ERASED_TEXT_PLACEHOLDER} where id in (
      select id from ${sql.table(table)} t where ${condition} and ${sql.ref(column)} <> ${ERASED_TEXT_PLACEHOLDER} limit ${limit})
    returning 1`.execute(em.getKysely());
  return rows.length;
}

type Deletion = {
  subject: ErasureSubject;
  condition: RawBuilder<unknown>;
  limit: number;
  now: Temporal.Instant;
};

async function hasRows(
  em: SqlEntityManager,
  table: string,
  subject: ErasureSubject,
  condition: RawBuilder<unknown>,
): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(table)} t where ${inClinicIfDistributed(table, subject)} and ${condition} limit 1`.execute(
    em.getKysely(),
  );
  return rows.length > 0;
}

/** On a distributed database, a statement reaches the rows of one Clinic if it names the Clinic. */
function inClinicIfDistributed(table: string, subject: ErasureSubject): RawBuilder<unknown> {
  return isDistributedTable(table) ? rowsOfClinic(subject) : sql`true`;
}

/** Deletes rows. Returns one text for each deleted row, which is its ID if the audit entry names the row. */
async function deleteRows(em: SqlEntityManager, table: RowsToErase, deletion: Deletion): Promise<string[]> {
  const { key, recordKind, keepTombstones } = table;
  const inClinic = inClinicIfDistributed(table.table, deletion.subject);
  const column = sql.ref(`t.${key ?? 'ctid'}`);
  const own = sql`
    select ${column} from ${sql.table(table.table)} t where ${deletion.condition} limit ${deletion.limit}`;
  let rows = sql`${inClinic} and ${column} = any(array(${own}))`;
  if (key !== undefined) {
    // Chosen by a query of its own, because each copy of the table on several servers could choose other rows.
    const lock = keepTombstones === undefined ? sql`` : sql` for update`;
    const chosen = await sql<Record<string, string>>`${own}${lock}`.execute(em.getKysely());
    rows = sql`${inClinic} and ${column} = any(${chosen.rows.map((row) => row[key])})`;
    await keepTombstones?.({ rows, now: sql`${formatInstant(deletion.now)}::timestamptz` }).execute(em.getKysely());
  }
  const deleted = await sql<{ id: string }>`
    delete from ${sql.table(table.table)} t where ${rows}
    returning ${recordKind === undefined ? sql`1` : sql`t.id`}::text as id`.execute(em.getKysely());
  return deleted.rows.map(({ id }) => id);
}

/**
 * Locks the series in the same order as other changes of series, so that concurrent changes of Sessions cause no
 * deadlock.
 */
async function lockSeries(em: SqlEntityManager, { clinicId, id }: ErasureSubject): Promise<void> {
  await sql`
    select from session_series where clinic_id = ${clinicId} and id in (
      select series_id from session where clinic_id = ${clinicId} and client_id = ${id})
    order by id for update`.execute(em.getKysely());
}

/**
 * Deletes the queued jobs of the subject. Jobs contain only the IDs of messages, by which the reminders refer to them.
 */
async function deleteQueueJobs(em: SqlEntityManager, subject: ErasureSubject): Promise<void> {
  const reminders = ALL_ROWS_TO_ERASE.find(({ table }) => table === 'reminder')?.[subject.kind] as RowsCondition;
  await deleteQueueJobsSql(subject.clinicId, reminders(subject)).execute(em.getKysely());
}
