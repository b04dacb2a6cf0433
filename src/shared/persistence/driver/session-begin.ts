import type { AbstractSqlConnection } from '@mikro-orm/sql';
import type { ControlledTransaction } from 'kysely';
import { Distribution } from '../distribution/distribution.js';
import { ActorSessions } from '../tenancy/actor-sessions.js';
import { buildSessionStatement, type SessionRow, type SessionVariables } from '../tenancy/session-variables.js';
import { observeFirstRow, withRequiredPosition } from './deferred-statement.js';
import { toCompiledQuery } from './raw-statement.js';
import { markServerUse } from './server-use.js';

export type BeginOptions = NonNullable<Parameters<AbstractSqlConnection['begin']>[0]>;

/**
 * Begins a transaction and sets its session variables. MikroORM would send them as parameters, which a statement that is
 * sent together with BEGIN cannot have. A savepoint keeps the variables of its transaction.
 *
 * @param configuration the configuration of MikroORM
 */
export async function beginWithSession<Transaction extends ControlledTransaction<unknown, never>>(
  configuration: object,
  { sessionContext, ...options }: BeginOptions,
  begin: (options: BeginOptions) => Promise<Transaction>,
): Promise<Transaction> {
  const transaction = await begin(options);
  if (options.ctx !== undefined || sessionContext === undefined) return transaction;
  const { variables, role } = sessionContext;
  const settings = role === undefined ? variables : { ...variables, role };
  if (settings === undefined) return transaction;
  const { text, hasClinicLookup, requiredPosition } = buildSessionStatement(settings as SessionVariables);
  const statement = toCompiledQuery<SessionRow>(text, []);
  if (requiredPosition !== undefined) withRequiredPosition(statement, requiredPosition);
  const { isDistributed, unreachable } = Distribution.of(configuration);
  if (isDistributed) markServerUse(statement, { servers: unreachable });
  const remember = (row: SessionRow) => ActorSessions.of(configuration).remember(row);
  if (hasClinicLookup) observeFirstRow(statement, remember);
  try {
    // Only the embedded database returns the row here; PostgreSQL's arrives with the result of the next statement.
    const { rows } = await transaction.executeQuery(statement);
    if (hasClinicLookup) rows.forEach(remember);
  } catch (error) {
    await transaction.rollback().execute();
    throw error;
  }
  return transaction;
}
