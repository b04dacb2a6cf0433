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
import type { CompiledQuery, ControlledTransaction, Kysely } from 'kysely';
import { ActorSessions } from '../tenancy/actor-sessions.js';
import { buildSessionStatement, SESSION_STATEMENT } from '../tenancy/session-variables.js';
import { observeRow, requirePosition } from './deferred-statement.js';
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
    const compiled = SESSION_STATEMENT.test(sql)
      ? this.compileSessionStatement(inputValues)
      : this.compileStatement(sql, inputValues);
    const client = (transaction ?? this.getClient()) as Pick<Kysely<unknown>, 'executeQuery'>;
    return this.executeQuery(sql, async () => this.transformRawResult<T>(await client.executeQuery(compiled), method), {
      query: sql,
      params: inputValues,
      ...logging,
    });
  }

  private compileStatement(sql: string, inputValues: readonly unknown[]): CompiledQuery {
    const { text, values } = this.toStatement(sql, inputValues);
    return toCompiledQuery(text, values);
  }

  private compileSessionStatement(namesAndValues: readonly unknown[]): CompiledQuery {
    const { text, hasLookUp, requiredPosition } = buildSessionStatement(namesAndValues);
    const compiled = toCompiledQuery(text, []);
    if (requiredPosition !== undefined) requirePosition(compiled, requiredPosition);
    return hasLookUp ? observeRow(compiled, (row) => ActorSessions.of(this.config).remember(row)) : compiled;
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
   * Like `Platform.formatQuery()`, but writes the placeholders `$1` … instead of the values. Dates need no conversion,
   * because entities contain none.
   */
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
