import { sql, type RawBuilder } from 'kysely';

export const SUBJECT_KINDS = ['CLIENT', 'CARE_PROVIDER', 'CLINIC'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** The person or Clinic whose data is erased. For a Clinic, `id` equals `clinicId`. */
export type ErasureSubject = { clinicId: number; kind: SubjectKind; id: number };

/** Returns an SQL condition that matches the subject's rows in a table with the alias `t`. */
export type RowsCondition = (subject: ErasureSubject) => RawBuilder<unknown>;

/**
 * The rows of one table that an erasure deletes. Each module lists its own tables; the order matters for foreign keys.
 * The table has no rows of a subject kind for which there is no condition.
 */
export type RowsToErase = {
  /** The name under which deleted rows are counted for the caller. Absent for technical rows, which are not counted. */
  countedAs?: CountedRecordKind;
  table: string;
  /**
   * A column that identifies a row. Defaults to `ctid`, the physical position, which requires the privilege to read the
   * whole table.
   */
  key?: string;
  /**
   * The kind of record in the names of the deleted rows in the audit entry. The rows must have a column `id`. If
   * absent, the audit entry does not name the rows.
   */
  recordKind?: 'session' | 'series';
  /**
   * Returns a statement that inserts tombstones of rows before they are deleted. `rows` is the condition on the rows,
   * which have the alias `t`.
   */
  keepTombstones?: (deletion: { rows: RawBuilder<unknown>; now: RawBuilder<unknown> }) => RawBuilder<unknown>;
} & Partial<Record<SubjectKind, RowsCondition>>;

/**
 * A text column of rows that an erasure keeps. The text is overwritten, because the destruction of a key does not reach
 * texts that were written in clear text. The table must have a column `id`.
 */
export type TextToErase = { table: string; column: string } & Partial<Record<SubjectKind, RowsCondition>>;

/** The kinds of records whose numbers an erasure shows, before and while it deletes them. */
export const COUNTED_RECORD_KINDS = [
  'reminders',
  'homework',
  'sessions',
  'series',
  'assignments',
  'preferences',
  'calendarLinks',
  'optOutLinks',
  'designPlans',
  'books',
  'clients',
  'careProviders',
] as const;
export type CountedRecordKind = (typeof COUNTED_RECORD_KINDS)[number];

/** Matches all rows of the Clinic, in a table with a column `clinic_id`. */
export const rowsOfClinic: RowsCondition = ({ clinicId }) => sql`t.clinic_id = ${clinicId}`;

/** Matches the rows of one person in the Clinic, by a column with the person's ID. */
export function rowsOfPerson(column: string): RowsCondition {
  return ({ clinicId, id }) => sql`t.clinic_id = ${clinicId} and ${sql.ref(`t.${column}`)} = ${id}`;
}

/** Matches the rows of one person in the Clinic, by columns with the person's kind and ID. */
export function rowsOfOwner(kindColumn: string, idColumn: string): RowsCondition {
  return ({ clinicId, kind, id }) =>
    sql`t.clinic_id = ${clinicId} and ${sql.ref(`t.${kindColumn}`)} = ${kind} and ${sql.ref(`t.${idColumn}`)} = ${id}`;
}
