import type { EntityManager, EntityMetadata } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql, type RawBuilder } from 'kysely';
import { ENCRYPTED_PREFIX, isEncrypted, unescapePlainText } from '../../encryption/text-cipher.js';
import { toArrayLiteral } from '../entity-manager/bulk-statement.js';
import { encryptionOf } from '../entity-manager/service-entity-manager.js';
import { findEncryptedTable, type EncryptedTable } from './encrypted-tables.js';
import type { StoredValues } from './field-encryption.js';

/** Number of rows that are encrypted in one transaction. */
const BATCH_SIZE = 500;

export type ExistingRowsProgress = { table: string; encrypted: number };

type Row = Record<string, string | null>;
/** A row with the values that replace its plain ones, by property. */
type EncryptedRow = { row: Row; stored: StoredValues };

/**
 * Encrypts rows that were written in clear text: by an earlier release, or with `ENCRYPTION=off`. Requests go on
 * meanwhile, and read both forms. Can be stopped and started again, because it only looks for plain texts.
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
    let encrypted = 0;
    for (let afterId: number | undefined = 0; afterId !== undefined;) {
      const batch: Batch = await em.fork().transactional((own) => encryptBatch(own, meta, table, afterId!));
      encrypted += batch.encrypted;
      afterId = batch.lastId;
      report({ table: table.name, encrypted });
    }
    total += encrypted;
  }
  return total;
}

type Batch = { encrypted: number; lastId: number | undefined };

async function encryptBatch(
  em: EntityManager,
  meta: EntityMetadata,
  table: EncryptedTable,
  afterId: number,
): Promise<Batch> {
  const rows = await findPlainRows(em, table, afterId);
  if (rows.length === 0) return { encrypted: 0, lastId: undefined };
  const byEntity = new Map<object, Row>(rows.map((row) => [toEntity(table, row), row]));
  const stored = await encryptionOf(em).encryptRows(meta, [...byEntity.keys()], { keepIfDestroyed: true });
  const changed = [...(stored ?? [])].map(([entity, values]) => ({ row: byEntity.get(entity)!, stored: values }));
  const encrypted = changed.length === 0 ? 0 : await updateRows(em, table, changed);
  return { encrypted, lastId: rows.length < BATCH_SIZE ? undefined : Number(rows.at(-1)!['id']) };
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

/** An object with the properties that encryption needs, and of the texts only those that are plain. */
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

/** Replaces texts, unless they have changed since they were read. The next run finds rows that were left out. */
async function updateRows(em: EntityManager, table: EncryptedTable, changed: readonly EncryptedRow[]): Promise<number> {
  const parameters: RawBuilder<unknown>[] = [];
  const names: RawBuilder<unknown>[] = [];
  const add = (name: string, type: 'bigint' | 'text', values: unknown[]) => {
    parameters.push(sql`${toArrayLiteral(values)}::${sql.raw(type)}[]`);
    names.push(sql.ref(name));
  };
  add(
    'row_id',
    'bigint',
    changed.map(({ row }) => Number(row['id'])),
  );
  for (const { name, field } of table.columns) {
    add(
      `old_${field}`,
      'text',
      changed.map(({ row }) => row[field]),
    );
    add(
      `new_${field}`,
      'text',
      changed.map(({ row, stored }) => stored[name] ?? row[field]),
    );
  }
  for (const { name, field } of table.digests)
    add(
      `new_${field}`,
      'text',
      changed.map(({ stored }) => stored[name]),
    );
  const assignments = [
    ...table.columns.map(({ field }) => sql`${sql.ref(field)} = ${sql.ref(`given.new_${field}`)}`),
    ...table.digests.map(
      ({ field }) => sql`${sql.ref(field)} = coalesce(${sql.ref(`given.new_${field}`)}, ${sql.ref(`row.${field}`)})`,
    ),
  ];
  const unchanged = table.columns.map(
    ({ field }) => sql`${sql.ref(`row.${field}`)} is not distinct from ${sql.ref(`given.old_${field}`)}`,
  );
  const { numAffectedRows } = await sql`
    update ${sql.table(table.name)} as row set ${sql.join(assignments)}
    from unnest(${sql.join(parameters)}) as given (${sql.join(names)})
    where row.id = given.row_id and ${sql.join(unchanged, sql` and `)}`.execute((em as SqlEntityManager).getKysely());
  return Number(numAffectedRows ?? changed.length);
}
