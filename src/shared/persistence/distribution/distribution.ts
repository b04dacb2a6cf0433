import type { EntityManager, EntityMetadata } from '@mikro-orm/core';
import { setTimeout as delay } from 'node:timers/promises';
import type { Orm } from '../driver/orm.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';

/** The Clinics whose rows lie on a server. */
export type ServerRange = { server: string; clinicIds: number[] };

/** SQLSTATE class 08 and the codes for a server that starts or stops. */
const UNREACHABLE = /^(08...|57P0[123])$/;

/** Whether the database reports that one of its servers does not answer. A lost connection to it has no severity. */
export function isUnreachableServer(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return severity !== undefined && UNREACHABLE.test(String(code));
}

/** How long the check of the servers may take. */
const CHECK_TIMEOUT_MS = 1_500;

/** The condition value of a transaction whose caller has no Clinic. No Clinic has this ID. */
const NO_CLINIC = 0;

/**
 * Whether the tables of a database are distributed by Clinic over several servers (`npm run distribute`). If so, a
 * statement reaches one server only if it names its Clinic, so the Clinic of each transaction is known to the queries
 * of the ORM. On one server this class has no effect.
 */
export class Distribution {
  private static readonly byConfiguration = new WeakMap<object, Distribution>();

  isDistributed = false;
  /**
   * Citus repeats `SET LOCAL` on the servers that a transaction of a Clinic reaches, and no other way to set a
   * variable.
   */
  readonly transactionSettings: Record<string, string> = { 'citus.propagate_set_commands': 'local' };
  /** The servers that a job has not reached when it last tried. */
  readonly unreachable = new Set<string>();
  private checking: Promise<string[]> | undefined;
  private readonly clinicIds = new WeakMap<object, number>();

  /** @param configuration MikroORM's, which all EntityManagers and connections of a database share */
  static of(configuration: object): Distribution {
    let distribution = Distribution.byConfiguration.get(configuration);
    if (distribution === undefined) {
      distribution = new Distribution();
      Distribution.byConfiguration.set(configuration, distribution);
    }
    return distribution;
  }

  /** Reads whether the database is distributed. The service must not run while that changes. */
  async load({ em }: Orm): Promise<void> {
    const connection = em.fork().getConnection();
    const statement = `select to_regclass('pg_catalog.pg_dist_partition') is not null as "hasCitus"`;
    const [found] = (await connection.execute(statement)) as [{ hasCitus: boolean }];
    if (!found.hasCitus) return;
    const tables = (await connection.execute(
      `select from pg_catalog.pg_dist_partition where logicalrelid = to_regclass('session')`,
    )) as object[];
    this.isDistributed = tables.length > 0;
  }

  /**
   * Returns the servers that do not answer, for the readiness of an instance. A server whose network is down keeps the
   * check waiting; then those are returned that a job has not reached.
   */
  async findUnreachable(orm: Pick<Orm, 'em'>): Promise<string[]> {
    this.checking ??= this.checkServers(orm).finally(() => (this.checking = undefined));
    const checked = this.checking.catch(() => [...this.unreachable]);
    return Promise.race([
      checked,
      delay(CHECK_TIMEOUT_MS, undefined, { ref: false }).then(() => [...this.unreachable]),
    ]);
  }

  private async checkServers({ em }: Pick<Orm, 'em'>): Promise<string[]> {
    const statement = `select server from check_clinic_servers() where not answers order by 1`;
    const rows = (await em.fork().getConnection().execute(statement)) as { server: string }[];
    return rows.map(({ server }) => server);
  }

  /** Returns the Clinics of each server. */
  async listRanges(em: EntityManager): Promise<ServerRange[]> {
    const statement = 'select server, clinic_ids::text[] as "clinicIds" from clinic_servers() order by 1';
    const rows = (await em.fork().getConnection().execute(statement)) as { server: string; clinicIds: string[] }[];
    return rows.map(({ server, clinicIds }) => ({ server, clinicIds: clinicIds.map(Number) }));
  }

  /** @param clinicId the session variable, which is empty if the caller has no Clinic */
  setClinic(transaction: object, clinicId: string): void {
    this.clinicIds.set(transaction, Number(clinicId || NO_CLINIC));
  }

  /** A savepoint is a transaction of its own to the ORM. */
  copyClinic(transaction: object, savepoint: object): void {
    const clinicId = this.clinicIds.get(transaction);
    if (clinicId !== undefined) this.clinicIds.set(savepoint, clinicId);
  }

  /** Returns the Clinic of a transaction. Undefined on one server, and for the jobs of all Clinics. */
  findClinic(transaction: object | undefined): number | undefined {
    return this.isDistributed && transaction !== undefined ? this.clinicIds.get(transaction) : undefined;
  }

  /** Adds the Clinic of the transaction to a condition on rows of a Clinic. */
  addClinic(transaction: object | undefined, { properties }: EntityMetadata, where: unknown): unknown {
    const clinicId = this.findClinic(transaction);
    const column = properties['clinicId' as never] as { nullable?: boolean } | undefined;
    if (clinicId === undefined || column === undefined || column.nullable) return where;
    if (typeof where !== 'object' || where === null) return where;
    if (!('clinicId' in where)) return { clinicId, ...where };
    return typeof where.clinicId === 'number' ? where : { $and: [{ clinicId }, where] };
  }
}

/**
 * Returns the Clinic of the current transaction if the database is distributed. Statements that do not know it
 * otherwise name it, so that they reach one server only. Undefined on one server.
 */
export function findTransactionClinic(em: AnyEntityManager): number | undefined {
  const { config } = em as EntityManager;
  return Distribution.of(config).findClinic((em as EntityManager).getTransactionContext());
}

/** Adds the Clinic of the current transaction to a condition if the database is distributed. */
export function addTransactionClinic(em: EntityManager, meta: EntityMetadata, where: unknown): unknown {
  const distribution = Distribution.of(em.config);
  return distribution.isDistributed ? distribution.addClinic(em.getTransactionContext(), meta, where) : where;
}
