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

/**
 * The condition of a query. For records that belong to a Clinic it must contain `clinicId`, or the call does not compile.
 */
export type TenantFilter<Entity> = Entity extends { clinicId: number }
  ? FilterQuery<Entity> & { clinicId: number | RawQueryFragment }
  : FilterQuery<Entity>;

/**
 * Option of a find: the result is not tracked for changes and is `Readonly` in its type. Use it for what is only read.
 */
export const UNTRACKED = { disableIdentityMap: true } as const;

/**
 * Option of a find: the result is not tracked for changes, but may be changed. `flush` does not write the changes;
 * `bulkUpdate` does. Lock the rows, or the record that they belong to, before they are read.
 */
export const FOR_BULK_UPDATE: Pick<FindOptions<object>, 'disableIdentityMap'> = UNTRACKED;

type Untracked = typeof UNTRACKED;

/** Methods of MikroORM's EntityManager that need no condition on the Clinic. */
type UnrestrictedMethod = 'clear' | 'flush' | 'getKysely' | 'lock' | 'persist' | 'remove' | 'upsert';

/**
 * The EntityManager for code that answers requests: MikroORM's own without the queries that lack a condition on the
 * Clinic.
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

  /** Finds the record of the actor of this transaction. Only this record tells which Clinic the actor belongs to. */
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
 * The injection token of `TenantEntityManager`. The object is MikroORM's EntityManager; only the type restricts it. Code
 * that serves all Clinics, such as the dispatch of reminders, injects the EntityManager under its own type.
 */
export const TenantEntityManager = EntityManager;

export type AnyEntityManager = TenantEntityManager | EntityManager;
