import {
  helper,
  raw,
  Utils,
  type Configuration,
  type ConnectionOptions,
  type CountOptions,
  type DeleteOptions,
  type EntityData,
  type EntityDictionary,
  type EntityName,
  type FilterQuery,
  type FindOptions,
  type LockOptions,
  type MetadataStorage,
  type NativeInsertUpdateManyOptions,
  type NativeInsertUpdateOptions,
  type ObjectQuery,
  type QueryResult,
  type UpsertManyOptions,
  type UpsertOptions,
} from '@mikro-orm/core';
import { PostgreSqlPlatform } from '@mikro-orm/postgresql';
import { AbstractSqlDriver } from '@mikro-orm/sql';
import { Distribution } from '../distribution/distribution.js';
import type { LoginName } from '../tenancy/logins.js';
import { ParameterisedConnection } from './parameterised-connection.js';

/** The connections of a login: their options, and the roles whose transactions use them. */
export type LoginConnections = { name: LoginName; actsAs: readonly string[]; options: ConnectionOptions };

/**
 * MikroORM's PostgreSQL driver with a `ParameterisedConnection`. If the database is distributed, it adds the Clinic of
 * the transaction to conditions, because the unit of work identifies rows only by their ID.
 */
export class ParameterisedDriver extends AbstractSqlDriver<ParameterisedConnection> {
  /** The connections of each login other than the one for requests. */
  readonly logins: ReadonlyMap<LoginName, ParameterisedConnection>;

  constructor(config: Configuration, logins: readonly LoginConnections[] = []) {
    super(config, new PostgreSqlPlatform(), ParameterisedConnection, ['kysely', 'pg']);
    this.logins = new Map(
      logins.map(({ name, actsAs, options }) => {
        const connection = new ParameterisedConnection(config, options);
        for (const role of actsAs) this.connection.connectionsByRole.set(role, connection);
        return [name, connection];
      }),
    );
  }

  override async connect(options?: { skipOnConnect?: boolean }): Promise<ParameterisedConnection> {
    await super.connect(options);
    await Promise.all([...this.logins.values()].map((login) => login.connect({ skipOnConnect: true })));
    return this.connection;
  }

  override async close(force?: boolean): Promise<void> {
    await Promise.all([...this.logins.values()].map((login) => login.close(force)));
    await super.close(force);
  }

  override setMetadata(metadata: MetadataStorage): void {
    super.setMetadata(metadata);
    for (const login of this.logins.values()) {
      login.setMetadata(metadata);
      login.setPlatform(this.platform);
    }
  }

  override find<
    Entity extends object,
    Hint extends string = never,
    Fields extends string = never,
    Excludes extends string = never,
  >(
    entity: EntityName<Entity>,
    where: ObjectQuery<Entity>,
    options: FindOptions<Entity, Hint, Fields, Excludes> = {},
  ): Promise<EntityData<Entity>[]> {
    return super.find(entity, this.inClinic(entity, where, options), options);
  }

  override count<Entity extends object>(
    entity: EntityName<Entity>,
    where: unknown,
    options: CountOptions<Entity> = {},
  ): Promise<number> {
    return super.count(entity, this.inClinic(entity, where, options), options);
  }

  override nativeUpdate<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<Entity>,
    data: EntityDictionary<Entity>,
    options: NativeInsertUpdateOptions<Entity> & UpsertOptions<Entity> = {},
  ): Promise<QueryResult<Entity>> {
    // The condition of an upsert names the columns of its key, so it stays unchanged.
    const condition = options.upsert ? where : this.inClinic(entity, where, options);
    return super.nativeUpdate(entity, condition, data, options);
  }

  /** MikroORM's statement for many rows names their keys only, so the Clinic is added to its text. */
  override async nativeUpdateMany<Entity extends object>(
    entity: EntityName<Entity>,
    where: FilterQuery<Entity>[],
    data: EntityDictionary<Entity>[],
    options: NativeInsertUpdateManyOptions<Entity> & UpsertManyOptions<Entity> = {},
    transform?: (sql: string, params: unknown[]) => string,
  ): Promise<QueryResult<Entity>> {
    const { ctx } = options as { ctx?: object };
    const distribution = Distribution.of(this.config);
    const column = distribution.findClinicColumn(this.metadata.get(entity));
    const clinicId = distribution.findClinic(ctx);
    if (options.upsert || column === undefined || clinicId === undefined)
      return super.nativeUpdateMany(entity, where, data, options, transform);
    return super.nativeUpdateMany(entity, where, data, options, (text, params) => {
      params.push(clinicId);
      const inClinic = ` and ${this.platform.quoteIdentifier(column)} = ?`;
      return text.replace(/(?: returning [^?]*)?$/, (returning) => `${inClinic}${returning}`);
    });
  }

  override nativeDelete<Entity extends object>(
    entity: EntityName<Entity>,
    where: unknown,
    options: DeleteOptions<Entity> = {},
  ): Promise<QueryResult<Entity>> {
    return super.nativeDelete(entity, this.inClinic(entity, where, options), options);
  }

  /** Locks the row of an entity, with a condition on the Clinic if the database is distributed. */
  override async lockPessimistic(entity: object, options: LockOptions): Promise<void> {
    const meta = helper(entity).__meta;
    if (Distribution.of(this.config).findClinic(options.ctx as object | undefined) === undefined)
      return super.lockPessimistic(entity, options);
    const where = this.inClinic(meta.class, Utils.getPrimaryKeyCond(entity, meta.primaryKeys), options);
    await this.createQueryBuilder(meta.class as EntityName<object>, options.ctx)
      .select(raw('1'))
      .where(where as never)
      .setLockMode(options.lockMode as never)
      .execute();
  }

  private inClinic<Where>(entity: unknown, where: Where, options: { ctx?: object }): Where {
    const distribution = Distribution.of(this.config);
    if (!distribution.isDistributed) return where;
    return distribution.addClinic(options.ctx, this.metadata.get(entity as never), where) as Where;
  }
}

/** Returns the driver with connections of further logins. MikroORM creates it with the configuration only. */
export function withLogins(logins: readonly LoginConnections[]): typeof ParameterisedDriver {
  return class extends ParameterisedDriver {
    constructor(config: Configuration) {
      super(config, logins);
    }
  };
}
