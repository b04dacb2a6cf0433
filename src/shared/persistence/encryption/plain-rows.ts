import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql, type RawBuilder } from 'kysely';
import { ENCRYPTED_TEXT_PREFIX } from '../../encryption/text-cipher.js';
import { clinicIsNotMovingSql } from '../distribution/clinic-scopes.js';
import { findEncryptedTable, type EncryptedTable, type TextColumn } from './encrypted-tables.js';

/** Counts the unencrypted rows that `encryptExistingRows` leaves out because their Clinics are being moved. */
export function countPlainRowsOfMovingClinics(em: EntityManager): Promise<number> {
  return countPlainRows(em, sql`not ${clinicIsNotMovingSql(em)}`);
}

/** Counts the unencrypted rows of a Clinic. */
export function countPlainRowsOfClinic(em: EntityManager, clinicId: number): Promise<number> {
  return countPlainRows(em, sql`clinic_id = ${clinicId}`);
}

async function countPlainRows(em: EntityManager, condition: RawBuilder<unknown>): Promise<number> {
  let total = 0;
  for (const meta of em.getMetadata().getAll().values()) {
    const table = findEncryptedTable(meta);
    if (table === undefined) continue;
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table.name)}
      where ${isPlainSql(table)} and ${condition}`.execute((em as SqlEntityManager).getKysely());
    total += rows[0]!.count;
  }
  return total;
}

/** Returns SQL that finds rows with a text that is not encrypted. */
export function isPlainSql({ columns }: EncryptedTable): RawBuilder<unknown> {
  const isPlain = columns.map((column) => {
    const text = toText(column);
    return sql`not starts_with(${text}, ${ENCRYPTED_TEXT_PREFIX}) and ${text} is distinct from ${column.plainText ?? null}::text`;
  });
  return sql`(${sql.join(isPlain, sql` or `)})`;
}

/** Returns the text of a column. For a JSON column, this is the encrypted string or the JSON of a plain document. */
export function toText({ field, isJson }: TextColumn, table?: string): RawBuilder<unknown> {
  const column = sql.ref(table === undefined ? field : `${table}.${field}`);
  return isJson ? sql`(${column} #>> '{}')` : column;
}
