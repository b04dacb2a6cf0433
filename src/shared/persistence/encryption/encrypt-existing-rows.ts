import type { EntityManager, EntityMetadata } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { isEncryptedText, unescapeEncryptionMark } from '../../encryption/text-cipher.js';
import { clinicIsNotMovingSql, inClinicSql } from '../distribution/clinic-scopes.js';
import { Distribution } from '../distribution/distribution.js';
import { toArrayLiteral } from '../entity-manager/array-parameter.js';
import { MAX_TRANSACTION_MS } from '../entity-manager/request-transaction.js';
import { encryptionOf } from '../entity-manager/service-entity-manager.js';
import { findEncryptedTable, type EncryptedTable } from './encrypted-tables.js';
import type { StoredValues } from './field-encryption.js';
import { isPlainSql, toText } from './plain-rows.js';
import { RowsInUseError } from './rows-in-use-error.js';

/** Number of rows that are encrypted in one transaction. */
const BATCH_SIZE = 500;
/** The same for rows with a JSON document, which can have a megabyte. */
const DOCUMENT_BATCH_SIZE = 20;
/** Time between two passes over a table. Rows that requests lock or change during a pass need another pass. */
const RETRY_MS = 200;
/** How long passes that encrypt nothing are repeated. The transaction of a request ends earlier. */
const MAX_WAIT_MS = MAX_TRANSACTION_MS + 10_000;

type ExistingRowsProgress = { table: string; encrypted: number };

type Row = Record<string, string | null>;
/** The values of a row's primary key. */
type RowKey = readonly number[];
/** A row, and the values that replace its plain values, by property. */
type EncryptedRow = { row: Row; stored: StoredValues };

/**
 * Encrypts rows that were written in clear text: by an earlier release, or with `ENCRYPTION=off`. Requests can run at
 * the same time, and read both forms. An interrupted run can be repeated, because it processes only plain texts. The
 * rows of Clinics that are being moved cannot be changed, and are left out.
 *
 * @param em an EntityManager with the rights of the table owner
 * @returns the number of rows that were encrypted
 * @throws RowsInUseError if rows stay locked; all others are encrypted
 */
export async function encryptExistingRows(
  em: EntityManager,
  report: (progress: ExistingRowsProgress) => void = () => undefined,
  maxWaitMs = MAX_WAIT_MS,
): Promise<number> {
  let total = 0;
  const inUse = new Map<string, number>();
  for (const meta of em.getMetadata().getAll().values()) {
    const table = findEncryptedTable(meta);
    if (table === undefined) continue;
    const { encrypted, leftOut } = await encryptTable(em, meta, table, maxWaitMs, (count) =>
      report({ table: table.name, encrypted: total + count }),
    );
    total += encrypted;
    if (leftOut > 0) inUse.set(table.name, leftOut);
  }
  if (inUse.size > 0) throw new RowsInUseError(inUse);
  return total;
}

/** Goes through a table until a pass leaves out no row, or until passes have encrypted nothing for a time. */
async function encryptTable(
  em: EntityManager,
  meta: EntityMetadata,
  table: EncryptedTable,
  maxWaitMs: number,
  report: (encrypted: number) => void,
): Promise<Pass> {
  let total = 0;
  for (let progressAt = performance.now(); ;) {
    const { encrypted, leftOut } = await runPass(em, meta, table, (count) => report(total + count));
    total += encrypted;
    if (encrypted > 0) progressAt = performance.now();
    if (leftOut === 0 || performance.now() - progressAt > maxWaitMs) return { encrypted: total, leftOut };
    await delay(RETRY_MS);
  }
}

type Pass = { encrypted: number; leftOut: number };

/**
 * Goes through the unencrypted rows of a table once. Leaves out rows that are locked, or were changed since they were
 * read.
 */
async function runPass(
  em: EntityManager,
  meta: EntityMetadata,
  table: EncryptedTable,
  report: (encrypted: number) => void,
): Promise<Pass> {
  const pass = { encrypted: 0, leftOut: 0 };
  for (let after: RowKey | undefined = table.keys.map(() => 0); after !== undefined;) {
    const batch: Batch = await em.fork().transactional((own) => encryptBatch(own, meta, table, after!));
    pass.encrypted += batch.encrypted;
    pass.leftOut += batch.leftOut;
    after = batch.last;
    report(pass.encrypted);
  }
  return pass;
}

type Batch = Pass & { last: RowKey | undefined };

async function encryptBatch(
  em: EntityManager,
  meta: EntityMetadata,
  table: EncryptedTable,
  after: RowKey,
): Promise<Batch> {
  const rows = await findPlainRows(em, table, after);
  if (rows.length === 0) return { encrypted: 0, leftOut: 0, last: undefined };
  const byEntity = new Map<object, Row>(rows.map((row) => [toEntity(table, row), row]));
  const stored = await encryptionOf(em).encryptRows(meta, [...byEntity.keys()], { ifDestroyed: 'keep' });
  // The texts of a record whose key was destroyed can no longer be encrypted.
  const changed = [...(stored ?? [])]
    .filter(([, values]) => table.columns.some(({ name }) => name in values))
    .map(([entity, values]) => ({ row: byEntity.get(entity)!, stored: values }));
  // A distributed database locks rows of one Clinic at a time.
  const clinicOf = ({ row }: EncryptedRow) =>
    Distribution.of(em.config).isDistributed ? Number(row['clinic_id']) : undefined;
  let encrypted = 0;
  for (const [clinicId, ofClinic] of Map.groupBy(changed, clinicOf))
    encrypted += await updateRows(em, table, ofClinic, clinicId);
  return {
    encrypted,
    leftOut: changed.length - encrypted,
    last: rows.length < findBatchSize(table) ? undefined : toKey(table, rows.at(-1)!),
  };
}

function findBatchSize({ columns }: EncryptedTable): number {
  return columns.some(({ isJson }) => isJson) ? DOCUMENT_BATCH_SIZE : BATCH_SIZE;
}

async function findPlainRows(em: EntityManager, table: EncryptedTable, after: RowKey): Promise<Row[]> {
  const keys = sql.join(table.keys.map(({ field }) => sql.ref(field)));
  const plainColumns = new Set([...table.keys.map(({ field }) => field), 'clinic_id', table.owner.field]);
  const columns = [
    ...[...plainColumns].map((field) => sql.ref(field)),
    ...table.columns.map((column) => sql`${toText(column)} as ${sql.ref(column.field)}`),
  ];
  const { rows } = await sql<Row>`
    select ${sql.join(columns)} from ${sql.table(table.name)}
    where (${keys}) > (${sql.join(after)}) and ${isPlainSql(table)} and ${clinicIsNotMovingSql(em)}
    order by ${keys} limit ${findBatchSize(table)}`.execute((em as SqlEntityManager).getKysely());
  return rows;
}

function toKey({ keys }: EncryptedTable, row: Row): RowKey {
  return keys.map(({ field }) => Number(row[field]));
}

/**
 * Returns an object with the properties that encryption needs. Of the texts, it contains only those that are not yet
 * encrypted.
 */
function toEntity(table: EncryptedTable, row: Row): Record<string, unknown> {
  const texts = table.columns
    .filter(({ field }) => row[field] != null && !isEncryptedText(row[field]))
    .map(
      ({ name, field, isJson }) =>
        [name, isJson ? JSON.parse(row[field]!) : unescapeEncryptionMark(row[field]!)] as const,
    );
  return {
    ...Object.fromEntries(table.keys.map(({ name, field }) => [name, Number(row[field])])),
    clinicId: Number(row['clinic_id']),
    [table.owner.name]: Number(row[table.owner.field]),
    ...Object.fromEntries(texts),
  };
}

type GivenColumn = [name: string, type: 'bigint' | 'text', valueOf: (changed: EncryptedRow) => unknown];

/** Returns the columns of the keys, the texts that were read, and the values that replace them. */
function toGivenColumns({ keys, columns, digests }: EncryptedTable): GivenColumn[] {
  return [
    ...keys.map(({ field }): GivenColumn => [field, 'bigint', ({ row }) => Number(row[field])]),
    ...columns.map(({ field }): GivenColumn => [`old_${field}`, 'text', ({ row }) => row[field]]),
    ...[...columns, ...digests].map(({ name, field }): GivenColumn => [
      `new_${field}`,
      'text',
      ({ stored }) => stored[name],
    ]),
  ];
}

/**
 * Replaces texts, unless they have changed since they were read. Rows that a request has locked are left for the next
 * pass, so that neither the request nor this statement waits long for the other.
 */
async function updateRows(
  em: EntityManager,
  table: EncryptedTable,
  changed: readonly EncryptedRow[],
  clinicId: number | undefined,
): Promise<number> {
  const keys = table.keys.map(({ field }) => field);
  const given = toGivenColumns(table);
  const arrays = given.map(([, type, valueOf]) => sql`${toArrayLiteral(changed.map(valueOf))}::${sql.raw(type)}[]`);
  const newValue = (field: string, isJson: boolean) =>
    isJson ? sql`${sql.ref(`given.new_${field}`)}::jsonb` : sql.ref(`given.new_${field}`);
  const assignments = [...table.columns, ...table.digests.map((digest) => ({ ...digest, isJson: false }))].map(
    ({ field, isJson }) => sql`${sql.ref(field)} = coalesce(${newValue(field, isJson)}, ${sql.ref(`row.${field}`)})`,
  );
  const unchanged = table.columns.map(
    (column) => sql`${toText(column, 'row')} is not distinct from ${sql.ref(`given.old_${column.field}`)}`,
  );
  const keysOf = (source: string) => sql`(${sql.join(keys.map((field) => sql.ref(`${source}.${field}`)))})`;
  const { rows } = await sql<Row>`
    with given as materialized (
      select * from unnest(${sql.join(arrays)}) as given (${sql.join(given.map(([name]) => sql.ref(name)))})
    ), free as materialized (
      select ${sql.join(keys.map((field) => sql.ref(`locked.${field}`)))} from ${sql.table(table.name)} as locked
      where ${keysOf('locked')} in (select ${sql.join(keys.map((field) => sql.ref(`given.${field}`)))} from given)
        and ${inClinicSql(clinicId, 'locked.clinic_id')} and ${clinicIsNotMovingSql(em)}
      for update skip locked
    )
    update ${sql.table(table.name)} as row set ${sql.join(assignments)}
    from given, free
    where ${keysOf('row')} = ${keysOf('given')} and ${keysOf('free')} = ${keysOf('row')}
      and ${inClinicSql(clinicId, 'row.clinic_id')} and ${sql.join(unchanged, sql` and `)}
    returning ${sql.join(keys.map((field) => sql.ref(`row.${field}`)))}`.execute((em as SqlEntityManager).getKysely());
  return rows.length;
}
