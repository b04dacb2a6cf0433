import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import { z } from 'zod';
import { ConflictError } from '../../shared/errors/index.js';
import { inSavepoint, type TenantEntityManager } from '../../shared/persistence/index.js';
import { parseCursor, toPage, type Page } from '../../shared/validation/index.js';
import type { RecordQuery } from '../dto/record-model.js';

/* What the services of all four kinds of record share: the list, and the put by external id. */

/** Reads rows that the transaction goes on to change, in one order for all, so that nobody changes them meanwhile. */
export const FOR_UPDATE = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } } as const;

/** The slice of a list, in the order of the ids: what to ask of the database. */
export function toListQuery({ cursor, limit, active }: RecordQuery) {
  const [after] = parseCursor(cursor, z.tuple([z.int()])) ?? [];
  return {
    where: { ...(after === undefined ? {} : { id: { $gt: after } }), ...(active === undefined ? {} : { active }) },
    options: { orderBy: { id: 'asc' }, limit: limit + 1 },
  } as const;
}

/** The page of a slice. */
export function toRecordPage<Row extends { id: number }, View>(
  rows: readonly Row[],
  { limit }: RecordQuery,
  view: (row: Row) => View,
): Page<View> {
  return toPage(rows, limit, (row) => [row.id], view);
}

export type PutResult = { id: number; created: boolean };

/**
 * Makes the record of an external id, or replaces it. Of two callers who make the same one at once,
 * the second replaces what the first has made.
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

/** Runs a POST that may give an external id. */
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
