import {
  TransactionPropagation,
  type EntityMetadata,
  type EntityName,
  type FilterQuery,
  type FindOneOptions,
  type FindOptions,
  type Loaded,
  type TransactionOptions,
} from '@mikro-orm/core';
import { SqlEntityManager } from '@mikro-orm/sql';
import { addTransactionClinicCondition } from '../distribution/distribution.js';
import { findEncryptedTable } from '../encryption/encrypted-tables.js';
import { FieldEncryption, type StoredRow } from '../encryption/field-encryption.js';
import { toPreparedFindStatement, toUntrackedEntities, type PreparedFindStatement } from './prepared-find.js';
import type { AnyEntityManager, TenantEntityManager } from '../tenancy/tenant-entity-manager.js';
import { toCompiledQuery } from '../driver/raw-statement.js';
import type { LogPosition } from '../replica/log-position.js';

/** The part of a request's transaction that its EntityManager uses. */
type RequestContextTransaction = {
  /** Begins the transaction if it has not already begun. */
  begin(): Promise<void>;
  /** Whether the request only reads. If so, its entities are not tracked for changes. */
  readonly isRead: boolean;
  /** The position that the replica must have reached; undefined on the primary. */
  readonly position: LogPosition | undefined;
  /** Throws if the transaction has lasted too long to be committed. */
  assertNotTooLong(): void;
};

/**
 * The service's EntityManager. Within a request, `transactional` joins the request's transaction, or begins it on the
 * first call, so that rows, audit entry and idempotency key commit together. `propagation: NESTED` creates a savepoint.
 */
export class ServiceEntityManager extends SqlEntityManager {
  /**
   * The request's transaction, if this EntityManager belongs to a request. It is an object rather than a closure: V8
   * allocated the closure in the old generation, where it kept the request's objects alive, and minor garbage
   * collections took 13 ms instead of 4 ms.
   */
  request?: RequestContextTransaction;

  /** `withEncryption` sets this property on the prototype of the class. */
  declare readonly encryption: FieldEncryption;

  /** Callbacks to run after the commit of this EntityManager's transaction. */
  private afterCommitCallbacks?: (() => void)[];

  /** Implements the only query of `TenantEntityManager` that does not require the Clinic. */
  findActor<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<NoInfer<Entity>>,
    options?: Omit<FindOneOptions<Entity>, 'using'>,
  ) {
    return this.findOne<Entity>(entity, where, options);
  }

  /** Returns the same result as MikroORM's `find`, but bypasses the query builder for plain conditions. */
  override async find<
    Entity extends object,
    Hint extends string = never,
    Fields extends string = never,
    Excludes extends string = never,
  >(
    entity: EntityName<Entity>,
    where: unknown,
    options: FindOptions<Entity, Hint, Fields, Excludes> = {},
  ): Promise<Loaded<Entity, Hint, Fields, Excludes>[]> {
    const preparedFind = this.toPreparedFindStatement(entity, where, options);
    if (preparedFind === undefined) {
      this.requireNoEncryptedColumns(entity, options.fields);
      return super.find(entity, where as never, options);
    }
    return this.executePreparedFind(entity, preparedFind, options);
  }

  override async findOne<
    Entity extends object,
    Hint extends string = never,
    Fields extends string = never,
    Excludes extends string = never,
  >(
    entity: EntityName<Entity>,
    where: unknown,
    options: FindOneOptions<Entity, Hint, Fields, Excludes> = {},
  ): Promise<Loaded<Entity, Hint, Fields, Excludes> | null> {
    const preparedFind = this.toPreparedFindStatement(entity, where, { ...options, limit: 1 });
    if (preparedFind === undefined) {
      this.requireNoEncryptedColumns(entity, options.fields);
      return super.findOne(entity, where as never, options);
    }
    const [found] = await this.executePreparedFind<Entity, Loaded<Entity, Hint, Fields, Excludes>>(
      entity,
      preparedFind,
      options,
    );
    return found ?? null;
  }

  /** Counts rows up to a maximum, which limits the work. */
  async countUpTo<Entity extends object>(entity: EntityName<Entity>, where: unknown, maximum: number): Promise<number> {
    const preparedFind = this.toPreparedFindStatement(entity, where, { limit: maximum });
    if (preparedFind === undefined) {
      const fields = this.getMetadata().get(entity).primaryKeys;
      const options = { limit: maximum, fields, disableIdentityMap: true };
      return (await super.find(entity, where as never, options as never)).length;
    }
    const { text, values } = preparedFind;
    if (text === undefined) return 0;
    const em = this.getContext() as ServiceEntityManager;
    await em.tryFlush(entity, {});
    const statement = `select count(*)::int as count from (${text}) as counted`;
    const { rows } = await em.getKysely().executeQuery(toCompiledQuery<{ count: number }>(statement, values));
    return rows[0]!.count;
  }

  /**
   * Returns immediately if there are no entities, because MikroORM's `flush` is slow even then, and requests flush
   * repeatedly.
   */
  override async flush(): Promise<void> {
    const unit = this.getUnitOfWork();
    const isEmpty = unit.getIdentityMap().keys().length === 0 && unit.getPersistStack().size === 0;
    if (!isEmpty || unit.getRemoveStack().size > 0) await super.flush();
  }

  override async transactional<T>(
    work: (em: this) => Promise<T> | T,
    { propagation = TransactionPropagation.REQUIRED, ...options }: TransactionOptions = {},
  ): Promise<T> {
    const context = this.getContext(false) as ServiceEntityManager;
    await context.request?.begin();
    const joins = context.isInTransaction() && propagation === TransactionPropagation.REQUIRED;
    if (!joins) return this.runTransaction(work, { ...options, propagation });
    const result = await work(context as this);
    // Flushes as at the end of a transaction, so that callers receive the errors caused by their own changes.
    if (!context.request?.isRead) await context.flush();
    return result;
  }

  /** Commits the transaction of a request, then runs the callbacks that wait for its commit. */
  override async commit(): Promise<void> {
    const callbacks = this.afterCommitCallbacks?.splice(0) ?? [];
    await super.commit();
    for (const callback of callbacks) callback();
  }

  private async runTransaction<T>(work: (em: this) => Promise<T> | T, options: TransactionOptions): Promise<T> {
    const outer = this.getContext(false) as ServiceEntityManager;
    let callbacks: (() => void)[] = [];
    const result = await super.transactional(async (em) => {
      const value = await work(em);
      callbacks = em.afterCommitCallbacks ?? [];
      return value;
    }, options);
    // The end of a savepoint does not commit anything, so the callbacks wait for the outer transaction.
    for (const callback of callbacks) outer.afterCommit(callback);
    return result;
  }

  /**
   * Runs a callback after the current transaction commits, but not if it is rolled back. Without a transaction, runs it
   * immediately.
   */
  afterCommit(callback: () => void): void {
    const context = this.getContext(false) as ServiceEntityManager;
    if (context.isInTransaction()) (context.afterCommitCallbacks ??= []).push(callback);
    else callback();
  }

  private toPreparedFindStatement<Entity extends object>(
    entity: EntityName<Entity>,
    where: unknown,
    options: object,
  ): PreparedFindStatement | undefined {
    const meta = this.getMetadata().get(entity);
    const inClinic = addTransactionClinicCondition(this, meta as EntityMetadata, where);
    return toPreparedFindStatement(meta, this.getPlatform(), inClinic, options);
  }

  /** MikroORM's own finds do not decrypt, so they may only read columns that are not encrypted. */
  private requireNoEncryptedColumns<Entity extends object>(
    entity: EntityName<Entity>,
    fields: readonly unknown[] | undefined,
  ): void {
    if (this.encryption.keys === undefined) return;
    const columns = findEncryptedTable(this.getMetadata().get(entity) as EntityMetadata)?.columns ?? [];
    if (!columns.some(({ name }) => fields === undefined || fields.includes(name))) return;
    throw new Error('A find of an entity with encrypted columns must have plain conditions (prepared-find.ts).');
  }

  /** Executes a prepared find as MikroORM would, but does not track the entities of read-only requests for changes. */
  private async executePreparedFind<Entity extends object, Found>(
    entity: EntityName<Entity>,
    { text, values }: PreparedFindStatement,
    options: Pick<FindOptions<Entity>, 'refresh' | 'disableIdentityMap'>,
  ): Promise<Found[]> {
    const em = this.getContext() as ServiceEntityManager;
    const meta = em.getMetadata().get(entity) as EntityMetadata;
    if (text === undefined) return [];
    await em.tryFlush(entity, {});
    const { rows } = await em.getKysely().executeQuery(toCompiledQuery<StoredRow>(text, values));
    const table = findEncryptedTable(meta);
    const unreadable = table === undefined ? undefined : await this.encryption.decryptRows(table, rows);
    if (em.request?.isRead || options.disableIdentityMap)
      return toUntrackedEntities(meta, em.getPlatform(), rows, unreadable);
    const [factory, comparator] = [em.getEntityFactory(), em.getComparator()];
    return rows.map((row) => {
      const data = comparator.mapResult(meta, row) as never;
      const createOptions = { merge: true, refresh: options.refresh ?? false, convertCustomTypes: true };
      return factory.create(entity, data, createOptions) as Found;
    });
  }
}

Object.assign(ServiceEntityManager.prototype, { encryption: new FieldEncryption() });

/** Returns an EntityManager class that uses the given encryption. */
export function withEncryption(encryption: FieldEncryption): typeof ServiceEntityManager {
  class EncryptingEntityManager extends ServiceEntityManager {}
  Object.assign(EncryptingEntityManager.prototype, { encryption });
  return EncryptingEntityManager;
}

/** Returns the encryption of the EntityManager's database. */
export function encryptionOf(em: AnyEntityManager): FieldEncryption {
  return (em as unknown as ServiceEntityManager).encryption;
}

/**
 * Decrypts columns, in place, of rows that a hand-written statement has read. Each row must contain its ID and the ID
 * of the record whose key is used; encrypted columns that were not selected are skipped.
 */
export async function decryptRows(
  em: AnyEntityManager,
  entity: EntityName<object>,
  rows: readonly StoredRow[],
): Promise<void> {
  const table = findEncryptedTable((em as unknown as ServiceEntityManager).getMetadata().get(entity) as EntityMetadata);
  if (table !== undefined) await encryptionOf(em).decryptRows(table, rows);
}

/**
 * Computes the digests by which rows of a Clinic can be found by the texts in an encrypted column. Returns an empty
 * list if there are no keys.
 */
export async function computeDigests(
  em: AnyEntityManager,
  entity: EntityName<object>,
  property: string,
  clinicId: number,
  texts: readonly string[],
): Promise<string[]> {
  const table = findEncryptedTable((em as unknown as ServiceEntityManager).getMetadata().get(entity) as EntityMetadata);
  return table === undefined ? [] : encryptionOf(em).computeDigests(table, property, clinicId, texts);
}

/** Runs work in a savepoint: if the work fails, only its changes are rolled back. Begins a transaction if necessary. */
export function inSavepoint<T>(em: TenantEntityManager, work: () => Promise<T>): Promise<T> {
  return em.transactional(work, { propagation: TransactionPropagation.NESTED });
}

/**
 * Runs a callback after the current transaction commits, but not if it is rolled back. Without a transaction, runs it
 * immediately.
 */
export function afterCommit(em: AnyEntityManager, callback: () => void): void {
  (em as ServiceEntityManager).afterCommit(callback);
}
