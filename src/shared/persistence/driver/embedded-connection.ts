import type {
  AnyEntity,
  Configuration,
  EntityData,
  LoggingOptions,
  QueryResult,
  RawQueryFragment,
  Transaction,
} from '@mikro-orm/core';
import { PgliteConnection, PglitePlatform } from '@mikro-orm/pglite';
import { AbstractSqlDriver, type NativeQueryBuilder } from '@mikro-orm/sql';
import { ActorSessions } from '../tenancy/actor-sessions.js';
import { buildSessionStatement, SESSION_STATEMENT_PATTERN, type SessionRow } from '../tenancy/session-variables.js';

/**
 * A PGlite connection that sets the session variables of a transaction in the same way as `ParameterisedConnection`.
 */
class EmbeddedConnection extends PgliteConnection {
  override async execute<T extends QueryResult | EntityData<AnyEntity> | EntityData<AnyEntity>[]>(
    query: string | NativeQueryBuilder | RawQueryFragment,
    params: readonly unknown[] = [],
    method: 'all' | 'get' | 'run' = 'all',
    transaction?: Transaction,
    logging?: LoggingOptions,
  ): Promise<T> {
    if (typeof query !== 'string' || !SESSION_STATEMENT_PATTERN.test(query))
      return super.execute<T>(query, params, method, transaction, logging);
    const { text, hasClinicLookup } = buildSessionStatement(params);
    const row = await super.execute<EntityData<SessionRow>>(text, [], 'get', transaction, logging);
    if (hasClinicLookup) ActorSessions.of(this.config).remember(row as SessionRow);
    return row as T;
  }
}

/** MikroORM's PGlite driver with an `EmbeddedConnection`. */
export class EmbeddedDriver extends AbstractSqlDriver<EmbeddedConnection> {
  constructor(config: Configuration) {
    super(config, new PglitePlatform(), EmbeddedConnection, ['kysely', '@electric-sql/pglite']);
  }
}
