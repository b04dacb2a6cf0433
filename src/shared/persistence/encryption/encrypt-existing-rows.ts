import type { EntityManager, EntityMetadata } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { ENCRYPTED_PREFIX, isEncrypted, unescapePlainText } from '../../encryption/text-cipher.js';
import { toArrayLiteral } from '../entity-manager/bulk-statement.js';
import { encryptionOf } from '../entity-manager/service-entity-manager.js';
import { findEncryptedTable, type EncryptedTable } from './encrypted-tables.js';
import type { StoredValues } from './field-encryption.js';

/** Number of rows that are encrypted in one transaction. */
const BATCH_SIZE = 500;
/** Maximum number of passes over a table. Rows that requests lock or change during a pass need another pass. */
const MAX_PASSES = 10;

export type ExistingRowsProgress = { table: string; encrypted: number };

type Row = Record<string, string | null>;
/** A row, and the values that replace its plain values, by property. */
type EncryptedRow = { row: Row; stored: StoredValues };

/**
 * Encrypts rows that were written in clear text: by an earlier release, or with `ENCRYPTION=off`. Requests can run at
 * the same time, and read both forms. An interrupted run can be repeated, because it processes only plain texts.
 *
 * @param em an EntityManager with the rights of the table owner
 * @returns the number of rows that were encrypted
 */
export async function encryptExistingRows(
  em: EntityManager,
  report: (progress: ExistingRowsProgress) => void = () => undefined,
): Promise<number> {
  let total = 0;
  for (const meta of em.getMetadata().getAll().values()) {
    const table = findEncryptedTable(meta);
    if (table === undefined) continue;
    for (let pass: Pass = { encrypted: 0, isComplete: false }, passes = 0; !pass.isComplete; passes += 1) {
      pass = await runPass(em, meta, table, (encrypted) => report({ table: table.name, encrypted: total + encrypted }));
      total += pass.encrypted;
      if (passes === MAX_PASSES) break;
    }
  }
  return total;
}

type Pass = { encrypted: number; isComplete: boolean };

/** Encrypts the plain rows of a table once. The pass is complete if it skipped no rows. */
async function runPass(
  em: EntityManager,
  meta: EntityMetadata,
  table: EncryptedTable,
  report: (encrypted: number) => void,
): Promise<Pass> {
  const pass = { encrypted: 0, isComplete: true };
  for (let afterId: number | undefined = 0; afterId !== undefined;) {
    const batch: Batch = await em.fork().transactional((own) => encryptBatch(own, meta, table, afterId!));
    pass.encrypted += batch.encrypted;
    pass.isComplete &&= batch.leftOut === 0;
    afterId = batch.lastId;
    report(pass.encrypted);
  }
  return pass;
}

type Batch = { encrypted: number; leftOut: number; lastId: number | undefined };

async function encryptBatch(
  em: EntityManager,
  meta: EntityMetadata,
  table: EncryptedTable,
  afterId: number,
): Promise<Batch> {
  const rows = await findPlainRows(em, table, afterId);
  if (rows.length === 0) return { encrypted: 0, leftOut: 0, lastId: undefined };
  const byEntity = new Map<object, Row>(rows.map((row) => [toEntity(table, row), row]));
  const stored = await encryptionOf(em).encryptRows(meta, [...byEntity.keys()], { ifDestroyed: 'keep' });
  // The texts of a record whose key was destroyed can no longer be encrypted.
  const changed = [...(stored ?? [])]
    .filter(([, values]) => table.columns.some(({ name }) => name in values))
    .map(([entity, values]) => ({ row: byEntity.get(entity)!, stored: values }));
  const encrypted = changed.length === 0 ? 0 : await updateRows(em, table, changed);
  return {
    encrypted,
    leftOut: changed.length - encrypted,
    lastId: rows.length < BATCH_SIZE ? undefined : Number(rows.at(-1)!['id']),
  };
}

async function findPlainRows(em: EntityManager, table: EncryptedTable, afterId: number): Promise<Row[]> {
  const fields = new Set(['id', 'clinic_id', table.owner.field, ...table.columns.map(({ field }) => field)]);
  const isPlain = table.columns.map(({ field }) => sql`not starts_with(${sql.ref(field)}, ${ENCRYPTED_PREFIX})`);
  const { rows } = await sql<Row>`
    select ${sql.join([...fields].map((field) => sql.ref(field)))} from ${sql.table(table.name)}
    where id > ${afterId} and (${sql.join(isPlain, sql` or `)})
    order by id limit ${BATCH_SIZE}`.execute((em as SqlEntityManager).getKysely());
  return rows;
}

/**
 * Returns an object with the properties that encryption needs. Of the texts, it contains only those that are not yet
 * encrypted.
 */
function toEntity(table: EncryptedTable, row: Row): Record<string, unknown> {
  const texts = table.columns
    .filter(({ field }) => row[field] != null && !isEncrypted(row[field]))
    .map(({ name, field }) => [name, unescapePlainText(row[field]!)] as const);
  const owner = Number(row[table.owner.field]);
  return {
    id: Number(row['id']),
    clinicId: Number(row['clinic_id']),
    [table.owner.name]: owner,
    ...Object.fromEntries(texts),
  };
}

type GivenColumn = [name: string, type: 'bigint' | 'text', valueOf: (changed: EncryptedRow) => unknown];

/**
 * Replaces texts, unless they have changed since they were read. Rows that a request has locked are left for the next
 * pass, so that neither the request nor this statement waits long for the other.
 */
async function updateRows(em: EntityManager, table: EncryptedTable, changed: readonly EncryptedRow[]): Promise<number> {
  const given: GivenColumn[] = [
    ['row_id', 'bigint', ({ row }) => Number(row['id'])],
    ...table.columns.flatMap(({ name, field }): GivenColumn[] => [
      [`old_${field}`, 'text', ({ row }) => row[field]],
      [`new_${field}`, 'text', ({ row, stored }) => stored[name] ?? row[field]],
    ]),
    ...table.digests.map(({ name, field }): GivenColumn => [`new_${field}`, 'text', ({ stored }) => stored[name]]),
  ];
  const arrays = given.map(([, type, valueOf]) => sql`${toArrayLiteral(changed.map(valueOf))}::${sql.raw(type)}[]`);
  const newText = (field: string) => sql.ref(`given.new_${field}`);
  const assignments = [
    ...table.columns.map(({ field }) => sql`${sql.ref(field)} = ${newText(field)}`),
    ...table.digests.map(
      ({ field }) => sql`${sql.ref(field)} = coalesce(${newText(field)}, ${sql.ref(`row.${field}`)})`,
    ),
  ];
  const unchanged = table.columns.map(
    ({ field }) => sql`${sql.ref(`row.${field}`)} is not distinct from ${sql.ref(`given.old_${field}`)}`,
  );
  const ids = changed.map(({ row }) => Number(row['id']));
  const { rows } = await sql<{ id: string }>`
    with free as materialized (
      select id from ${sql.table(table.name)} where id = any(${ids}::bigint[]) for update skip locked)
    update ${sql.table(table.name)} as row set ${sql.join(assignments)}
    from unnest(${sql.join(arrays)}) as given (${sql.join(given.map(([name]) => sql.ref(name)))}), free
    where row.id = given.row_id and free.id = row.id and ${sql.join(unchanged, sql` and `)}
    returning row.id`.execute((em as SqlEntityManager).getKysely());
  return rows.length;
}
