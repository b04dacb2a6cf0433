import type { Orm } from '../driver/orm.js';
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from './distributed-tables.js';
import type { DistributionStep } from './distribution-step.js';
import { listDistributionSteps, listUndoSteps } from './distribution-steps.js';

/** The database cannot be distributed in its current state. */
export class NotDistributableError extends Error {}

/**
 * `isUndo` moves the tables back to one server. `shardCount` is the number of shards of each table, which cannot be
 * changed afterwards.
 */
export type DistributionOptions = { isUndo: boolean; shardCount: number };

const UNDEFINED_TABLE = '42P01';

type Rows<Row> = Promise<Row[]>;

/**
 * Distributes the tables of a database by Clinic, or moves them back to one server. The service must not run at the
 * same time.
 */
export class DatabaseDistribution {
  constructor(private readonly orm: Orm) {}

  /**
   * Checks that the database has Citus, and that there are servers to which its rows can be moved.
   *
   * @throws NotDistributableError
   */
  async requireCluster(): Promise<void> {
    const [citus] = await this.query<{ installed: string | null; available: string | null }>(`
      select (select extversion from pg_extension where extname = 'citus') as installed,
        (select default_version from pg_available_extensions where name = 'citus') as available`);
    if (citus!.available === null) throw new NotDistributableError('The server of the database has no Citus.');
    if (citus!.installed === null)
      throw new NotDistributableError('The database has no Citus: run "create extension citus" on each server.');
    const nodes = await this.query<{ groupid: number; isactive: boolean; shouldhaveshards: boolean }>(
      'select groupid, isactive, shouldhaveshards from pg_dist_node',
    );
    if (!nodes.some(({ groupid }) => groupid === 0))
      throw new NotDistributableError('The coordinator has no address: run "select citus_set_coordinator_host(…)".');
    if (!nodes.some(({ groupid, isactive, shouldhaveshards }) => groupid > 0 && isactive && shouldhaveshards))
      throw new NotDistributableError('There is no worker: run "select citus_add_node(…)" on the coordinator.');
  }

  /**
   * Checks that no Clinic has moved. A distributed database has no triggers that keep such a Clinic closed, so two
   * installations could change it.
   *
   * @throws NotDistributableError
   */
  async requireNoMoves(): Promise<void> {
    const moves = await this.query<{ clinic_id: string }>('select clinic_id from clinic_move order by 1 limit 10');
    if (moves.length === 0) return;
    const ids = moves.map(({ clinic_id: id }) => id).join(', ');
    throw new NotDistributableError(
      `The database cannot be distributed, because Clinics have moved to or from another installation: ${ids}.`,
    );
  }

  /** Returns the steps that are not done yet. */
  async findPendingSteps({ isUndo, shardCount }: DistributionOptions): Promise<DistributionStep[]> {
    const steps = isUndo ? listUndoSteps() : listDistributionSteps(shardCount);
    const pending: DistributionStep[] = [];
    for (const step of steps) if (!(await this.isDone(step))) pending.push(step);
    return pending;
  }

  /** Estimates the number of rows in each table from the statistics of the planner. */
  estimateRows(): Rows<{ table: string; rows: number }> {
    const tables = [...REFERENCE_TABLES, ...DISTRIBUTED_TABLES].map((table) => `'${table}'`).join(', ');
    return this.query(`
      select relname::text as "table", greatest(reltuples, 0)::float8 as rows from pg_class
      where relnamespace = 'public'::regnamespace and relname in (${tables}) order by 2 desc, 1`);
  }

  /**
   * Executes a step in one transaction. Skips the step if it is already done, because an earlier step may have made it
   * unnecessary.
   */
  async run(step: DistributionStep): Promise<void> {
    if (await this.isDone(step)) return;
    await this.orm.em.fork().transactional(async (em) => {
      const transaction = em.getTransactionContext<object>()!;
      for (const statement of step.statements) await em.getConnection().execute(statement, [], 'run', transaction);
    });
  }

  private async isDone({ done }: DistributionStep): Promise<boolean> {
    try {
      const [row] = await this.query<{ done: boolean | null }>(done);
      return row!.done === true;
    } catch (error) {
      // The table does not exist yet, because an earlier step creates it.
      if (Reflect.get(error as object, 'code') === UNDEFINED_TABLE) return false;
      throw error;
    }
  }

  private async query<Row>(statement: string): Rows<Row> {
    return (await this.orm.em.fork().getConnection().execute(statement)) as Row[];
  }
}
