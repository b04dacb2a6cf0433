import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import { ConflictError, requireVersion, type ExpectedVersion } from '../../shared/errors/index.js';
import { inSavepoint, type TenantEntityManager } from '../../shared/persistence/index.js';

/** Locks the rows that a query finds until the transaction ends, in order of ID to avoid deadlocks. */
export const FOR_UPDATE = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } } as const;

export const TAKEN_EXTERNAL_ID_DETAIL = 'Another record has this externalId already.';

export type PutRecordResult = { id: number; created: boolean };

type RecordPut<Row> = {
  find: () => Promise<Row | null>;
  create: () => Row;
  change: (row: Row) => void | Promise<void>;
  expectedVersion: ExpectedVersion;
};

/**
 * Creates the record with an external ID, or changes the record if it already exists. If another transaction creates
 * the same record concurrently, a second attempt finds and changes that record.
 *
 * @throws PreconditionFailedError if the record does not have the version that the caller expects
 */
export async function putRecord<Row extends { id: number; version: number }>(
  em: TenantEntityManager,
  { find, create, change, expectedVersion }: RecordPut<Row>,
): Promise<PutRecordResult> {
  const attempt = async (): Promise<PutRecordResult> => {
    const existing = await find();
    requireVersion(existing, expectedVersion);
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

/**
 * Waits for work that stores a record.
 *
 * @throws ConflictError (409) if the work violates a unique constraint, which means that the external ID is taken
 */
export async function rejectTakenExternalId<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) {
      throw new ConflictError(TAKEN_EXTERNAL_ID_DETAIL);
    }
    throw error;
  }
}
