import {
  TransactionPropagation,
  type EntityName,
  type FilterQuery,
  type FindOneOptions,
  type TransactionOptions,
} from '@mikro-orm/core';
import { SqlEntityManager } from '@mikro-orm/sql';
import type { TenantEntityManager } from './tenant-entity-manager.js';

/**
 * The EntityManager of the service. What services call a transaction is part of the one that is already there: a
 * request is one transaction, begun by the first service that needs it, so that its rows, its audit row and its
 * idempotency row commit together. `propagation: NESTED` asks for a savepoint.
 */
export class ServiceEntityManager extends SqlEntityManager {
  /** Set on the context of a request: begins its transaction, where that has not been done. */
  beginRequest?: () => Promise<void>;
  /** Set with it: nothing that is looked up is changed, so nobody looks for changes. */
  isReading?: boolean;

  /** For `TenantEntityManager`, whose other look-ups ask for the Clinic. */
  findActor<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<NoInfer<Entity>>,
    options?: Omit<FindOneOptions<Entity>, 'using'>,
  ) {
    return super.findOne<Entity>(entity, where, options);
  }

  override async transactional<T>(
    work: (em: this) => Promise<T> | T,
    { propagation = TransactionPropagation.REQUIRED, ...options }: TransactionOptions = {},
  ): Promise<T> {
    const context = this.getContext(false) as ServiceEntityManager;
    await context.beginRequest?.();
    const joins = context.isInTransaction() && propagation === TransactionPropagation.REQUIRED;
    return super.transactional(
      async (em) => {
        const result = await work(em);
        // What it has changed is written here, as at the end of a transaction: so the errors come here, too.
        if (joins && !context.isReading) await em.flush();
        return result;
      },
      { ...options, propagation },
    );
  }
}

/** Runs work that can be undone alone, within a transaction or as one. */
export function undoable<T>(em: TenantEntityManager, work: () => Promise<T>): Promise<T> {
  return em.transactional(work, { propagation: TransactionPropagation.NESTED });
}
