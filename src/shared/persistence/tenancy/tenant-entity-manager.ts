import {
  EntityManager,
  type CountOptions,
  type DeleteOptions,
  type EntityData,
  type EntityName,
  type FilterQuery,
  type FindOneOptions,
  type FindOptions,
  type Loaded,
  type RawQueryFragment,
  type TransactionOptions,
  type UpdateOptions,
} from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';

/** What is looked for. Of records that belong to a Clinic it names which, or how to find it, or it does not compile. */
export type TenantFilter<Entity> = Entity extends { clinicId: number }
  ? FilterQuery<Entity> & { clinicId: number | RawQueryFragment }
  : FilterQuery<Entity>;

type UnrestrictedMethod = 'clear' | 'flush' | 'getKysely' | 'lock' | 'persist' | 'remove' | 'upsert';

/** What of the ORM answers to a request: everything but look-ups without a Clinic. */
export interface TenantEntityManager extends Pick<SqlEntityManager, UnrestrictedMethod> {
  find<
    Entity extends object,
    Hint extends string = never,
    Fields extends string = never,
    Excludes extends string = never,
  >(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    options?: FindOptions<Entity, Hint, Fields, Excludes>,
  ): Promise<Loaded<Entity, Hint, Fields, Excludes>[]>;

  findOne<Entity extends object, Hint extends string = never, Fields extends string = never>(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    options?: FindOneOptions<Entity, Hint, Fields>,
  ): Promise<Loaded<Entity, Hint, Fields> | null>;

  findOneOrFail<Entity extends object, Hint extends string = never, Fields extends string = never>(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    options?: FindOneOptions<Entity, Hint, Fields>,
  ): Promise<Loaded<Entity, Hint, Fields>>;

  /** The one record that says who the actor of this transaction is: only with it is their Clinic known. */
  findActor<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<NoInfer<Entity>>,
    options?: Omit<FindOneOptions<Entity>, 'using'>,
  ): Promise<Loaded<Entity> | null>;

  count<Entity extends object>(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    options?: CountOptions<Entity>,
  ): Promise<number>;

  nativeUpdate<Entity extends object>(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    data: EntityData<Entity>,
    options?: UpdateOptions<Entity>,
  ): Promise<number>;

  nativeDelete<Entity extends object>(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    options?: DeleteOptions<Entity>,
  ): Promise<number>;

  transactional<T>(work: (em: TenantEntityManager) => T | Promise<T>, options?: TransactionOptions): Promise<T>;
}

/**
 * What services ask Nest for: MikroORM's own EntityManager, of which their type lets them see less. Only what serves
 * all Clinics at once, as the dispatch of reminders does, has the other type.
 */
export const TenantEntityManager = EntityManager;

/** The option of a look-up of what is only read: nobody looks at it for changes. */
export const UNTRACKED = { disableIdentityMap: true } as const;

export type AnyEntityManager = TenantEntityManager | EntityManager;
