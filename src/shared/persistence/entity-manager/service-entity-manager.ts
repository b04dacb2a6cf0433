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
import { toPreparedFind, toUntrackedEntities, type PreparedFind } from './prepared-find.js';
import type { AnyEntityManager, TenantEntityManager } from '../tenancy/tenant-entity-manager.js';
import { toCompiledQuery } from '../driver/raw-statement.js';

/** The transaction of the request whose context an EntityManager is. */
type RequestContextTransaction = {
  /** Begins the transaction if it has not begun. */
  begin(): Promise<void>;
  /** The request only reads, so that its entities are not tracked for changes. */
  readonly isRead: boolean;
};

/**
 * The EntityManager of the service. `transactional` joins the transaction of the request, so that its rows, its audit
 * entry and its idempotency key commit together; the first call begins it. `propagation: NESTED` makes a savepoint.
 */
export class ServiceEntityManager extends SqlEntityManager {
  /**
   * Set on the context of a request. An object and not a closure: V8 allocated the closure in the old generation, where
   * it kept all objects of the request alive, and a minor garbage collection took 13 ms instead of 4 ms.
   */
  request?: RequestContextTransaction;

  /** Callbacks for the commit of the transaction whose context this is. */
  private afterCommitCallbacks?: (() => void)[];

  /** Implements `TenantEntityManager`, whose other finds require the Clinic. */
  findActor<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<NoInfer<Entity>>,
    options?: Omit<FindOneOptions<Entity>, 'using'>,
  ) {
    return this.findOne<Entity>(entity, where, options);
  }

  /** Same result as MikroORM's `find`. Plain conditions skip its query builder. */
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
    const preparedFind = this.toPreparedFind(entity, where, options);
    if (preparedFind === undefined) return super.find(entity, where as never, options);
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
    const preparedFind = this.toPreparedFind(entity, where, { ...options, limit: 1 });
    if (preparedFind === undefined) return super.findOne(entity, where as never, options);
    const [found] = await this.executePreparedFind<Entity, Loaded<Entity, Hint, Fields, Excludes>>(
      entity,
      preparedFind,
      options,
    );
    return found ?? null;
  }

  /** Returns at once if there are no entities: MikroORM's `flush` is slow even then, and each service of a request calls it. */
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
    // Flushes as at the end of a transaction, so that the caller gets the errors of its own changes.
    if (!context.request?.isRead) await context.flush();
    return result;
  }

  private async runTransaction<T>(work: (em: this) => Promise<T> | T, options: TransactionOptions): Promise<T> {
    let callbacks: (() => void)[] = [];
    const result = await super.transactional(async (em) => {
      const value = await work(em);
      callbacks = em.afterCommitCallbacks ?? [];
      return value;
    }, options);
    for (const callback of callbacks) callback();
    return result;
  }

  /** Calls back after the commit of the current transaction; never if it is rolled back. */
  afterCommit(callback: () => void): void {
    const context = this.getContext(false) as ServiceEntityManager;
    if (context.isInTransaction()) (context.afterCommitCallbacks ??= []).push(callback);
    else callback();
  }

  private toPreparedFind<Entity extends object>(
    entity: EntityName<Entity>,
    where: unknown,
    options: object,
  ): PreparedFind | undefined {
    return toPreparedFind(this.getMetadata().get(entity), this.getPlatform(), where, options);
  }

  /** Executes a prepared find as MikroORM would. The entities of a read-only request are not tracked for changes. */
  private async executePreparedFind<Entity extends object, Found>(
    entity: EntityName<Entity>,
    { text, values }: PreparedFind,
    options: Pick<FindOptions<Entity>, 'refresh' | 'disableIdentityMap'>,
  ): Promise<Found[]> {
    const em = this.getContext() as ServiceEntityManager;
    const meta = em.getMetadata().get(entity) as EntityMetadata;
    if (text === undefined) return [];
    await em.tryFlush(entity, {});
    const { rows } = await em.getKysely().executeQuery(toCompiledQuery<Record<string, unknown>>(text, values));
    if (em.request?.isRead || options.disableIdentityMap) return toUntrackedEntities(meta, em.getPlatform(), rows);
    const [factory, comparator] = [em.getEntityFactory(), em.getComparator()];
    return rows.map((row) => {
      const data = comparator.mapResult(meta, row) as never;
      const createOptions = { merge: true, refresh: options.refresh ?? false, convertCustomTypes: true };
      return factory.create(entity, data, createOptions) as Found;
    });
  }
}

/** Runs work in a savepoint that is rolled back alone if the work fails; outside a transaction, in a transaction. */
export function inSavepoint<T>(em: TenantEntityManager, work: () => Promise<T>): Promise<T> {
  return em.transactional(work, { propagation: TransactionPropagation.NESTED });
}

/** Calls back after the commit of the current transaction; never if it is rolled back. */
export function afterCommit(em: AnyEntityManager, callback: () => void): void {
  (em as ServiceEntityManager).afterCommit(callback);
}
