import { sql, type RawBuilder } from 'kysely';

export const SUBJECT_KINDS = ['CLIENT', 'CARE_PROVIDER', 'CLINIC'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** The person or Clinic whose data is erased. For a Clinic, `id` equals `clinicId`. */
export type ErasureSubject = { clinicId: number; kind: SubjectKind; id: number };

/** Returns a condition on the rows of a subject. The table has the alias `t`. */
export type OwnRows = (subject: ErasureSubject) => RawBuilder<unknown>;

/**
 * The rows of one table that an erasure deletes. Each module lists its own tables; the order matters for foreign keys.
 * A subject kind that is absent has no rows in the table.
 */
export type ErasedRows = {
  /** Under which name the rows are counted for the caller. Absent: they are technical, and not counted. */
  countedAs?: ErasedKind;
  table: string;
  /** A column that identifies a row. Default: the physical position, which needs the right to read the whole table. */
  key?: string;
  /** How the audit entry names the deleted rows, which then have a column `id`. Absent: it does not. */
  recordKind?: 'session' | 'series';
  /** Inserts tombstones of the deleted rows, which are called `erased`. */
  keepTombstones?: (now: RawBuilder<unknown>) => RawBuilder<unknown>;
} & Partial<Record<SubjectKind, OwnRows>>;

export const ERASED_KINDS = [
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
export type ErasedKind = (typeof ERASED_KINDS)[number];

/** All rows of the Clinic, for tables with a column `clinic_id`. */
export const ofClinic: OwnRows = ({ clinicId }) => sql`t.clinic_id = ${clinicId}`;

/** The rows of one person in the Clinic, by a column with the ID. */
export function ofPerson(column: string): OwnRows {
  return ({ clinicId, id }) => sql`t.clinic_id = ${clinicId} and ${sql.ref(`t.${column}`)} = ${id}`;
}

/** The rows of one person in the Clinic, by columns with the kind and the ID. */
export function ofOwner(kindColumn: string, idColumn: string): OwnRows {
  return ({ clinicId, kind, id }) =>
    sql`t.clinic_id = ${clinicId} and ${sql.ref(`t.${kindColumn}`)} = ${kind} and ${sql.ref(`t.${idColumn}`)} = ${id}`;
}
