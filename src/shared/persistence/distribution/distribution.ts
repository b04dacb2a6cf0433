import type { EntityManager, EntityMetadata } from '@mikro-orm/core';
import { setTimeout as delay } from 'node:timers/promises';
import type { Orm } from '../driver/orm.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';
import { listServerClinics, UnreachableServers, type Query, type ServerClinics } from './unreachable-servers.js';

/** SQLSTATE class 08 and the codes for a server that starts or stops. */
const UNREACHABLE = /^(08...|57P0[123])$/;

/**
 * Whether an error is the database's report that one of its servers does not answer. If the connection to the database
 * itself is lost, the error has no severity.
 */
export function isUnreachableServerError(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return severity !== undefined && UNREACHABLE.test(String(code));
}

/** SQLSTATE query_canceled. The service cancels no statements itself, so the statement has exceeded its time limit. */
const QUERY_CANCELED = '57014';

/** Whether a statement took longer than its time limit, for example because a server of the database is frozen. */
export function isStatementTimeout(error: unknown): boolean {
  return ((error ?? {}) as { code?: unknown }).code === QUERY_CANCELED;
}

/** Maximum time that `findUnreachable` waits for the check of the servers. */
const CHECK_TIMEOUT_MS = 1_500;

/** The ID that conditions contain if the caller of the transaction has no Clinic. No Clinic has this ID. */
const NO_CLINIC = 0;

/** The first table is created by one of the first steps of a distribution, the second one by the last step. */
const DISTRIBUTION_STATE = `
  select exists (select from pg_catalog.pg_dist_partition where logicalrelid = to_regclass('session')) as "isDistributed",
    to_regclass('distribution_foreign_key') is not null and to_regclass('coordinated_commit') is null as "isIncomplete"`;

/**
 * Tells whether the tables of a database are distributed by Clinic over several servers (`npm run distribute`). If they
 * are, a statement must name its Clinic to be sent to a single server, so queries of the ORM need to know the Clinic of
 * their transaction. On one server, this class has no effect.
 */
export class Distribution {
  private static readonly byConfiguration = new WeakMap<object, Distribution>();

  isDistributed = false;
  /** Whether `npm run distribute` was interrupted. Foreign keys are missing then, and policies and functions differ. */
  isIncomplete = false;
  /**
   * Makes Citus repeat `SET LOCAL` on the servers that a transaction of a Clinic reaches. Citus repeats no other kind
   * of statement that sets a variable.
   */
  readonly transactionSettings: Record<string, string> = { 'citus.propagate_set_commands': 'local' };
  /**
   * Citus can send an UPDATE with FROM to a single server only if it plans the statement with the parameter values. It
   * changes reference tables only in a transaction that uses one connection per server. By default, it waits 30 s for
   * a connection to a server.
   */
  readonly planSettings: Record<string, string> = {
    plan_cache_mode: 'force_custom_plan',
    'citus.multi_shard_modify_mode': 'sequential',
    'citus.node_connection_timeout': '2500',
  };
  readonly unreachable = new UnreachableServers();
  private checking: Promise<string[]> | undefined;
  private readonly clinicIds = new WeakMap<object, number>();

  /**
   * @param configuration the configuration of MikroORM, which all EntityManagers and connections of a database share
   */
  static of(configuration: object): Distribution {
    let distribution = Distribution.byConfiguration.get(configuration);
    if (distribution === undefined) {
      distribution = new Distribution();
      Distribution.byConfiguration.set(configuration, distribution);
    }
    return distribution;
  }

  /** Reads whether the database is distributed. This must not change while the service is running. */
  async load({ em }: Orm): Promise<void> {
    const connection = em.fork().getConnection();
    const statement = `select to_regclass('pg_catalog.pg_dist_partition') is not null as "hasCitus"`;
    const [found] = (await connection.execute(statement)) as [{ hasCitus: boolean }];
    if (!found.hasCitus) return;
    const [state] = (await connection.execute(DISTRIBUTION_STATE)) as [
      { isDistributed: boolean; isIncomplete: boolean },
    ];
    Object.assign(this, state);
    this.unreachable.setQuery(toQuery(em));
  }

  /**
   * Returns the servers that do not answer, for the readiness check. If the query waits too long, returns the servers
   * that did not answer when a statement waited for them.
   */
  async findUnreachable(orm: Pick<Orm, 'em'>): Promise<string[]> {
    this.checking ??= this.checkServers(orm).finally(() => (this.checking = undefined));
    const checked = this.checking.catch(() => this.unreachable.names);
    return Promise.race([
      checked,
      delay(CHECK_TIMEOUT_MS, undefined, { ref: false }).then(() => this.unreachable.names),
    ]);
  }

  private async checkServers({ em }: Pick<Orm, 'em'>): Promise<string[]> {
    const statement = `select server from check_clinic_servers() where not answers order by 1`;
    const rows = (await em.fork().getConnection().execute(statement)) as { server: string }[];
    return rows.map(({ server }) => server);
  }

  /** Returns the Clinics of each server. */
  listServerClinics(em: EntityManager): Promise<ServerClinics[]> {
    return listServerClinics(toQuery(em));
  }

  /**
   * Stores the Clinic of a transaction.
   *
   * @param clinicId the value of the session variable, which is empty if the caller has no Clinic
   */
  setClinic(transaction: object, clinicId: string): void {
    this.clinicIds.set(transaction, Number(clinicId || NO_CLINIC));
  }

  /** Copies the Clinic to a savepoint, which MikroORM treats as a separate transaction. */
  copyClinic(transaction: object, savepoint: object): void {
    const clinicId = this.clinicIds.get(transaction);
    if (clinicId !== undefined) this.clinicIds.set(savepoint, clinicId);
  }

  /** Returns the Clinic of a transaction, or undefined on one server and for jobs that serve all Clinics. */
  findClinic(transaction: object | undefined): number | undefined {
    return this.isDistributed && transaction !== undefined ? this.clinicIds.get(transaction) : undefined;
  }

  /**
   * Returns the column with the Clinic of a row. Undefined if the table has no such column, or has rows without a
   * Clinic.
   */
  findClinicColumn({ properties }: Pick<EntityMetadata, 'properties'>): string | undefined {
    const property = properties['clinicId' as never] as { nullable?: boolean; fieldNames: string[] } | undefined;
    return property === undefined || property.nullable ? undefined : property.fieldNames[0];
  }

  /**
   * Adds the Clinic of the transaction to a condition if each row of the entity belongs to a Clinic, unless the
   * condition already names a Clinic by its ID.
   */
  addClinic(transaction: object | undefined, { properties }: EntityMetadata, where: unknown): unknown {
    const clinicId = this.findClinic(transaction);
    if (clinicId === undefined || this.findClinicColumn({ properties }) === undefined) return where;
    if (typeof where !== 'object' || where === null) return where;
    if (!('clinicId' in where)) return { clinicId, ...where };
    return typeof where.clinicId === 'number' ? where : { $and: [{ clinicId }, where] };
  }
}

/** Executes statements outside of transactions, on any connection of the pool. */
function toQuery(em: EntityManager): Query {
  return async (statement) => (await em.fork().getConnection().execute(statement)) as object[];
}

/**
 * Returns the Clinic of the current transaction if the database is distributed, and undefined on one server. Statements
 * without a condition on the Clinic add this condition, so that they are sent to a single server.
 */
export function findTransactionClinicId(em: AnyEntityManager): number | undefined {
  const { config } = em as EntityManager;
  return Distribution.of(config).findClinic((em as EntityManager).getTransactionContext());
}

/** Adds the Clinic of the current transaction to a condition if the database is distributed. */
export function addTransactionClinicCondition(em: EntityManager, meta: EntityMetadata, where: unknown): unknown {
  const distribution = Distribution.of(em.config);
  return distribution.isDistributed ? distribution.addClinic(em.getTransactionContext(), meta, where) : where;
}

/**
 * Whether a server of a distributed database does not answer, or not in time. On one server, the same errors are no such
 * failure, because no other Clinic could be served instead: they end when the server has restarted.
 */
export function isServerFailure(em: EntityManager, error: unknown): boolean {
  if (!Distribution.of(em.config).isDistributed) return false;
  return isUnreachableServerError(error) || isStatementTimeout(error);
}
