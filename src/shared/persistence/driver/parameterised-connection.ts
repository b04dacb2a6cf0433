import {
  isRaw,
  Utils,
  type AnyEntity,
  type EntityData,
  type LoggingOptions,
  type QueryResult,
  type RawQueryFragment,
  type Transaction,
} from '@mikro-orm/core';
import { PostgreSqlConnection } from '@mikro-orm/postgresql';
import { NativeQueryBuilder } from '@mikro-orm/sql';
import type { ControlledTransaction, Kysely } from 'kysely';
import { escapeLiteral } from 'pg';
import { Distribution } from '../distribution/distribution.js';
import { ActorSessions } from '../tenancy/actor-sessions.js';
import {
  CLINIC_VARIABLE,
  DISTRIBUTED_CLINIC_LOOKUP_SQL,
  needsClinicLookup,
  type SessionRow,
  type SessionVariables,
} from '../tenancy/session-variables.js';
import { markDeferred } from './deferred-statement.js';
import { pipelineStatements } from './send-together.js';
import { beginWithSession, type BeginOptions } from './session-begin.js';
import { toCompiledQuery, type Statement } from './raw-statement.js';
import { markServerUse } from './server-use.js';

/**
 * Sends the values of a statement as parameters. MikroORM would write them into the text, which would then differ with
 * each call and could not be prepared, so PostgreSQL would spend more time on parsing and planning than on execution.
 */
export class ParameterisedConnection extends PostgreSqlConnection {
  /** The connections of other logins, by the roles that transactions take on there. */
  readonly connectionsByRole = new Map<unknown, ParameterisedConnection>();

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
    const { text, values } = this.toStatement(sql, inputValues);
    const compiled = toCompiledQuery(text, values);
    const client = (transaction ?? this.getClient()) as Pick<Kysely<unknown>, 'executeQuery'>;
    return this.executeQuery(sql, async () => this.transformRawResult<T>(await client.executeQuery(compiled), method), {
      query: sql,
      params: inputValues,
      ...logging,
    });
  }

  /** Skips transaction events: there are no listeners, and each event costs several microtask ticks. */
  override begin({ eventBroadcaster: _, ...options }: BeginOptions = {}): ReturnType<PostgreSqlConnection['begin']> {
    const login = options.ctx === undefined ? this.findLogin(options) : undefined;
    if (login !== undefined) return login.begin(options);
    return this.distribution.isDistributed ? this.beginDistributed(options) : this.beginPipelined(options);
  }

  private findLogin({ sessionContext }: BeginOptions): ParameterisedConnection | undefined {
    return this.connectionsByRole.size === 0
      ? undefined
      : this.connectionsByRole.get((sessionContext?.variables as SessionVariables | undefined)?.['role']);
  }

  /**
   * Begins a transaction whose Clinic is known before its first statement, so that the statement is sent to a single
   * server.
   */
  private async beginDistributed(options: BeginOptions) {
    const { distribution } = this;
    if (options.ctx !== undefined) {
      const savepoint = await this.beginPipelined(options);
      distribution.copyClinic(options.ctx, savepoint);
      return savepoint;
    }
    const { sessionContext } = options;
    if (sessionContext?.variables === undefined) return this.beginPipelined(options);
    const looked = await this.lookClinicUp(sessionContext.variables as SessionVariables);
    const { [CLINIC_VARIABLE]: clinicId, ...variables } = { ...looked, ...distribution.planSettings };
    if (clinicId === undefined)
      return this.beginPipelined({ ...options, sessionContext: { ...sessionContext, variables } });
    distribution.unreachable.requireClinic(Number(clinicId));
    const context = { ...sessionContext, variables: { ...variables, ...distribution.transactionSettings } };
    const transaction = await this.beginPipelined({ ...options, sessionContext: context });
    await this.requireServerStillAnswers(transaction, Number(clinicId));
    distribution.setClinic(transaction, clinicId);
    // This must be a separate statement, because Citus repeats all statements of a message on the other servers.
    const statement = `set local ${CLINIC_VARIABLE} = ${escapeLiteral(clinicId)}`;
    const use = { servers: distribution.unreachable, clinicId: Number(clinicId) };
    await transaction.executeQuery(markDeferred(markServerUse(toCompiledQuery(statement, []), use)));
    return transaction;
  }

  private beginPipelined(options: BeginOptions) {
    return beginWithSession(this.config, options, async (rest) => pipelineStatements(await super.begin(rest)));
  }

  /**
   * Looks up the Clinic in a separate statement, because `SET LOCAL` accepts only literals. If the lookup waited for a
   * server that does not answer, the other servers are asked.
   */
  private async lookClinicUp(variables: SessionVariables): Promise<SessionVariables> {
    if (!needsClinicLookup(variables)) return variables;
    const row = await this.findClinic(variables);
    ActorSessions.of(this.config).remember(row);
    return { ...variables, [CLINIC_VARIABLE]: row[CLINIC_VARIABLE]! };
  }

  private async findClinic(variables: SessionVariables): Promise<SessionRow> {
    const { unreachable } = this.distribution;
    const [kind, id] = ['app.caller_kind', 'app.caller_id'] as const;
    const statement = `
      /* clinic */ select set_config('${kind}', $1, true) as "${kind}", set_config('${id}', $2, true) as "${id}",
        set_config('app.unreachable_servers', $3, true), ${DISTRIBUTED_CLINIC_LOOKUP_SQL} as "${CLINIC_VARIABLE}"`;
    let without: readonly string[] = [];
    await this.ensureConnection();
    try {
      const { rows } = await this.getClient<SessionRow>()
        .connection()
        .execute((connection) => {
          // Only now, because a server may have been found unreachable while the lookup waited for the connection.
          without = unreachable.names;
          const lookup = toCompiledQuery<SessionRow>(statement, [variables[kind], variables[id], without.join()]);
          return connection.executeQuery(markServerUse(lookup, { servers: unreachable, isLookup: true }));
        });
      return rows[0]!;
    } catch (error) {
      if (without.length > 0 || unreachable.names.length === 0) throw error;
      return this.findClinic(variables);
    }
  }

  /** The server of the Clinic may have been found unreachable while the transaction waited for a connection. */
  private async requireServerStillAnswers(
    transaction: { rollback(): { execute(): Promise<unknown> } },
    clinicId: number,
  ): Promise<void> {
    try {
      this.distribution.unreachable.requireClinic(clinicId);
    } catch (error) {
      await transaction.rollback().execute();
      throw error;
    }
  }

  private get distribution(): Distribution {
    return Distribution.of(this.config);
  }

  /** Skips transaction events, as `begin` does. */
  override commit(transaction: ControlledTransaction<unknown, never>): Promise<void> {
    return super.commit(transaction);
  }

  /** Skips transaction events, as `begin` does. */
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

function toTextAndValues(
  query: string | NativeQueryBuilder | RawQueryFragment,
  params: unknown,
): { sql: string; inputValues: unknown } {
  const raw = query instanceof NativeQueryBuilder ? query.toRaw() : query;
  return typeof raw === 'string' ? { sql: raw, inputValues: params } : { sql: raw.sql, inputValues: raw.params };
}
