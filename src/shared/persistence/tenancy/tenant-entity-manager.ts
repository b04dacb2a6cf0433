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

/** The condition of a query. For entities that belong to a Clinic, a condition without `clinicId` does not compile. */
export type TenantFilter<Entity> = Entity extends { clinicId: number }
  ? FilterQuery<Entity> & { clinicId: number | RawQueryFragment }
  : FilterQuery<Entity>;

/** Find option for entities that are only read: the result is untracked, and its type is `Readonly`. */
export const UNTRACKED = { disableIdentityMap: true } as const;

/**
 * Find option for rows to be written with `bulkUpdate`. The entities are untracked, so they may be changed without
 * `flush` writing the changes. Lock the rows when they are read, or lock the record that they belong to before.
 */
export const FOR_BULK_UPDATE: Pick<FindOptions<object>, 'disableIdentityMap'> = UNTRACKED;

type Untracked = typeof UNTRACKED;

/** The methods of MikroORM's EntityManager that need no condition on the Clinic. */
type UnrestrictedMethod = 'clear' | 'flush' | 'getKysely' | 'lock' | 'persist' | 'remove' | 'upsert';

/**
 * The EntityManager for code that handles requests. Its type does not allow queries without a condition on the Clinic.
 */
export interface TenantEntityManager extends Pick<SqlEntityManager, UnrestrictedMethod> {
  find<
    Entity extends object,
    Hint extends string = never,
    Fields extends string = never,
    Excludes extends string = never,
  >(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    options: FindOptions<Entity, Hint, Fields, Excludes> & Untracked,
  ): Promise<Readonly<Loaded<Entity, Hint, Fields, Excludes>>[]>;
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
    options: FindOneOptions<Entity, Hint, Fields> & Untracked,
  ): Promise<Readonly<Loaded<Entity, Hint, Fields>> | null>;
  findOne<Entity extends object, Hint extends string = never, Fields extends string = never>(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    options?: FindOneOptions<Entity, Hint, Fields>,
  ): Promise<Loaded<Entity, Hint, Fields> | null>;

  findOneOrFail<Entity extends object, Hint extends string = never, Fields extends string = never>(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    options: FindOneOptions<Entity, Hint, Fields> & Untracked,
  ): Promise<Readonly<Loaded<Entity, Hint, Fields>>>;
  findOneOrFail<Entity extends object, Hint extends string = never, Fields extends string = never>(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    options?: FindOneOptions<Entity, Hint, Fields>,
  ): Promise<Loaded<Entity, Hint, Fields>>;

  /** Finds the record of the transaction's actor. Requires no Clinic, because that record determines the Clinic. */
  findActor<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<NoInfer<Entity>>,
    options: Omit<FindOneOptions<Entity>, 'using'> & Untracked,
  ): Promise<Readonly<Loaded<Entity>> | null>;
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

  /** Counts rows up to a maximum, which limits the work. */
  countUpTo<Entity extends object>(
    entity: EntityName<Entity>,
    where: TenantFilter<NoInfer<Entity>>,
    maximum: number,
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
 * The injection token for `TenantEntityManager`. The injected object is MikroORM's EntityManager, restricted only by
 * its type. Code that serves all Clinics, such as reminder dispatch, injects `EntityManager` instead.
 */
export const TenantEntityManager = EntityManager;

export type AnyEntityManager = TenantEntityManager | EntityManager;
