import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import { z } from 'zod';
import { ConflictError } from '../../shared/errors/index.js';
import { inSavepoint, type TenantEntityManager } from '../../shared/persistence/index.js';
import { parseCursor, toPage, type Page } from '../../shared/validation/index.js';
import type { RecordQuery } from '../dto/record-model.js';

/** Locks the rows that a query finds until the transaction ends, in order of ID to avoid deadlocks. */
export const FOR_UPDATE = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } } as const;

/**
 * Returns the condition and options of the query for one page of a list. The query fetches an extra row to detect
 * whether there is a next page.
 */
export function toListQuery({ cursor, limit, active }: RecordQuery) {
  const [after] = parseCursor(cursor, z.tuple([z.int()])) ?? [];
  return {
    where: { ...(after === undefined ? {} : { id: { $gt: after } }), ...(active === undefined ? {} : { active }) },
    options: { orderBy: { id: 'asc' }, limit: limit + 1 },
  } as const;
}

/** Creates a page from the rows that a query with `toListQuery` has found. */
export function toRecordPage<Row extends { id: number }, View>(
  rows: readonly Row[],
  { limit }: RecordQuery,
  view: (row: Row) => View,
): Page<View> {
  return toPage(rows, limit, (row) => [row.id], view);
}

export type PutResult = { id: number; created: boolean };

/**
 * Creates the record with an external ID, or changes the record if it already exists. If another transaction creates
 * the same record concurrently, a second attempt finds and changes that record.
 */
export async function putRecord<Row extends { id: number }>(
  em: TenantEntityManager,
  find: () => Promise<Row | null>,
  create: () => Row,
  change: (row: Row) => void | Promise<void>,
): Promise<PutResult> {
  const attempt = async (): Promise<PutResult> => {
    const existing = await find();
    const record = existing ?? create();
    if (existing) await change(existing);
    await em.persist(record).flush();
    return { id: record.id, created: existing === null };
  };
  try {
    return await inSavepoint(em, attempt);
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    return inSavepoint(em, attempt);
  }
}

/** @throws ConflictError (409) if the work violates a unique constraint, which means that the external ID is taken */
export async function rejectTakenExternalId<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) {
      throw new ConflictError('Another record has this externalId already.');
    }
    throw error;
  }
}
