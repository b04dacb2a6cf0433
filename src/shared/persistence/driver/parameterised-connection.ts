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
 * Sends the values of a statement as parameters. MikroORM would write them into the text, which would then differ with
 * each call and could not be prepared, so PostgreSQL would spend more time on parsing and planning than on execution.
 */
class ParameterisedConnection extends PostgreSqlConnection {
  override async execute<T extends QueryResult | EntityData<AnyEntity> | EntityData<AnyEntity>[]>(
    query: string | NativeQueryBuilder | RawQueryFragment,
    params: readonly unknown[] | Record<string, unknown> = [],
    method: 'all' | 'get' | 'run' = 'all',
    transaction?: Transaction,
    logging?: LoggingOptions,
  ): Promise<T> {
    const { sql, inputValues } = toTextAndValues(query, params);
    if (!Array.isArray(inputValues) || inputValues.length === 0)
      return super.execute<T>(query, params, method, transaction, logging);
    await this.ensureConnection();
    const { text, values } = setsSessionVariables(sql)
      ? this.toSessionStatement(inputValues)
      : this.toStatement(sql, inputValues);
    const client = (transaction ?? this.getClient()) as Pick<Kysely<unknown>, 'executeQuery'>;
    return this.executeQuery(
      sql,
      async () => this.transformRawResult<T>(await client.executeQuery(toCompiledQuery(text, values)), method),
      { query: sql, params: inputValues, ...logging },
    );
  }

  /** Skips transaction events: there are no listeners, and each event costs several microtask ticks. */
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
   * Sets the session variables with literals, because a statement that is sent together with BEGIN cannot have
   * parameters. `SET LOCAL` would be faster, but before PostgreSQL 18 `pg_stat_statements` stores it with its value,
   * which may identify a caller or be a secret.
   */
  private toSessionStatement(namesAndValues: readonly unknown[]): Statement {
    const literals = namesAndValues.map((value) => escapeLiteral(String(value)));
    const settings = literals.flatMap((literal, index) =>
      index % 2 === 0 ? `set_config(${literal}, ${literals[index + 1]!}, true)` : [],
    );
    return { text: `select ${settings.join(', ')}`, values: [] };
  }

  /** Like `Platform.formatQuery()`, but writes `$1` … instead of values. Does not convert Dates: entities have none. */
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

/** MikroORM's PostgreSQL driver with a `ParameterisedConnection`. */
export class ParameterisedDriver extends AbstractSqlDriver<ParameterisedConnection> {
  constructor(config: Configuration) {
    super(config, new PostgreSqlPlatform(), ParameterisedConnection, ['kysely', 'pg']);
  }
}

function toTextAndValues(
  query: string | NativeQueryBuilder | RawQueryFragment,
  params: unknown,
): { sql: string; inputValues: unknown } {
  const raw = query instanceof NativeQueryBuilder ? query.toRaw() : query;
  return typeof raw === 'string' ? { sql: raw, inputValues: params } : { sql: raw.sql, inputValues: raw.params };
}

/** Whether MikroORM uses this statement to set the session variables of a transaction. */
function setsSessionVariables(sql: string): boolean {
  return sql.startsWith('select set_config(');
}
