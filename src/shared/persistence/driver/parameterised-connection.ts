import {
  isRaw,
  Utils,
  type AnyEntity,
  type Configuration,
  type EntityData,
  type LoggingOptions,
  type QueryResult,
  type RawQueryFragment,
  type Transaction,
} from '@mikro-orm/core';
import { PostgreSqlConnection, PostgreSqlPlatform } from '@mikro-orm/postgresql';
import { AbstractSqlDriver, NativeQueryBuilder } from '@mikro-orm/sql';
import type { ControlledTransaction, Kysely } from 'kysely';
import { escapeLiteral } from 'pg';
import { toCompiledQuery, type Statement } from './raw-statement.js';

/**
 * Sends the values of a statement beside its text, where MikroORM writes them into it: only texts that stay the same
 * can be prepared, and PostgreSQL parses and plans a statement longer than it works on it.
 */
class ParameterisedConnection extends PostgreSqlConnection {
  override async execute<T extends QueryResult | EntityData<AnyEntity> | EntityData<AnyEntity>[]>(
    query: string | NativeQueryBuilder | RawQueryFragment,
    params: readonly unknown[] | Record<string, unknown> = [],
    method: 'all' | 'get' | 'run' = 'all',
    transaction?: Transaction,
    logging?: LoggingOptions,
  ): Promise<T> {
    const { sql, given } = toTextAndValues(query, params);
    if (!Array.isArray(given) || given.length === 0)
      return super.execute<T>(query, params, method, transaction, logging);
    await this.ensureConnection();
    const { text, values } = setsSessionVariables(sql) ? this.toSessionStatement(given) : this.toStatement(sql, given);
    const client = (transaction ?? this.getClient()) as Pick<Kysely<unknown>, 'executeQuery'>;
    return this.executeQuery(
      sql,
      async () => this.transformRawResult<T>(await client.executeQuery(toCompiledQuery(text, values)), method),
      { query: sql, params: given, ...logging },
    );
  }

  /** Nobody subscribes to the events of transactions, and each takes some turns of the queue of promises. */
  override begin({ eventBroadcaster: _, ...options }: Parameters<PostgreSqlConnection['begin']>[0] = {}) {
    return super.begin(options);
  }

  override commit(transaction: ControlledTransaction<unknown, never>): Promise<void> {
    return super.commit(transaction);
  }

  override rollback(transaction: ControlledTransaction<unknown, never>): Promise<void> {
    return super.rollback(transaction);
  }

  /**
   * What a transaction says of itself is sent with its BEGIN, which cannot be prepared. Not as `SET LOCAL`, which is
   * quicker: until PostgreSQL 18, `pg_stat_statements` keeps each of those with its value, a caller or a secret.
   */
  private toSessionStatement(namesAndValues: readonly unknown[]): Statement {
    const literals = namesAndValues.map((value) => escapeLiteral(String(value)));
    const settings = literals.flatMap((literal, index) =>
      index % 2 === 0 ? `set_config(${literal}, ${literals[index + 1]!}, true)` : [],
    );
    return { text: `select ${settings.join(', ')}`, values: [] };
  }

  /** As `Platform.formatQuery()`, but with `$1` where that writes a value. No property of an entity is a Date. */
  private toStatement(sql: string, params: readonly unknown[], values: unknown[] = []): Statement {
    let next = 0;
    const valueOf = (value: unknown): string => {
      if (isRaw(value)) return this.toStatement(value.sql, value.params, values).text;
      if (Array.isArray(value)) return value.map(valueOf).join(', ');
      return `$${values.push(Utils.isPlainObject(value) ? JSON.stringify(value) : value)}`;
    };
    const text = sql.replaceAll(/\\\?|\?\??/g, (mark) => {
      if (mark === '\\?') return '?';
      return mark === '??' ? this.platform.quoteIdentifier(String(params[next++])) : valueOf(params[next++]);
    });
    return { text, values };
  }
}

/** MikroORM's driver for PostgreSQL, with the connection above. */
export class ParameterisedDriver extends AbstractSqlDriver<ParameterisedConnection> {
  constructor(config: Configuration) {
    super(config, new PostgreSqlPlatform(), ParameterisedConnection, ['kysely', 'pg']);
  }
}

function toTextAndValues(
  query: string | NativeQueryBuilder | RawQueryFragment,
  params: unknown,
): { sql: string; given: unknown } {
  const raw = query instanceof NativeQueryBuilder ? query.toRaw() : query;
  return typeof raw === 'string' ? { sql: raw, given: params } : { sql: raw.sql, given: raw.params };
}

/** What a transaction says of itself. */
function setsSessionVariables(sql: string): boolean {
  return sql.startsWith('select set_config(');
}
