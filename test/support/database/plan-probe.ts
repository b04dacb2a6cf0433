import pg from 'pg';
import type { TestApp } from '../app/test-app.js';
import { connectAsOwner } from './owner-connection.js';

/** A statement that the service sends to its driver, with its values. */
export type SentStatement = { text: string; values: unknown[] };

type PlanNode = {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
};

/** The plan with which a statement was executed. */
export type ExecutedPlan = {
  /** The number of rows that scans of tables have read, including those that a condition has removed. */
  rowsRead: number;
  /** The scans with their rows, for the message of a failed test. */
  scans: string[];
};

/**
 * Executes statements of the service again, and returns their plans. They have the plan that a prepared statement of the
 * service gets after five executions. PostgreSQL makes it for a Clinic of average size, and not for the given values.
 */
export class PlanProbe {
  private count = 0;
  private readonly notices: string[] = [];

  private constructor(readonly client: pg.Client) {
    client.on('notice', ({ message }) => void this.notices.push(message ?? ''));
  }

  /** Connects as the owner of the database of a test. */
  static async open(app: TestApp): Promise<PlanProbe> {
    const client = await connectAsOwner(app.environment.database);
    await client.query(`load 'auto_explain'`);
    await client.query(`set plan_cache_mode = force_generic_plan`);
    const settings = { log_min_duration: '0', log_analyze: 'on', log_timing: 'off', log_format: 'json' };
    for (const [name, value] of Object.entries({ ...settings, log_level: 'notice' }))
      await client.query(`set auto_explain.${name} = '${value}'`);
    return new PlanProbe(client);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /** Executes a statement with the rights of a request in a Clinic, and rolls it back. */
  async execute(clinicId: number, { text, values }: SentStatement): Promise<ExecutedPlan> {
    await this.client.query(`begin; select set_config('role', 'scheduling_service', true),
      set_config('app.clinic_id', '${clinicId}', true)`);
    this.notices.length = 0;
    this.count += 1;
    await this.client.query({ name: `probe ${this.count}`, text, values });
    // The plan is reported when the next statement begins.
    await this.client.query('rollback');
    const notice = this.notices.findLast((message) => message.startsWith('duration:'))!;
    const { Plan: root } = JSON.parse(notice.slice(notice.indexOf('{'))) as { Plan: PlanNode };
    const scans = collectScans(root);
    return {
      rowsRead: scans.reduce((sum, { rows }) => sum + rows, 0),
      scans: scans.map(({ name, rows }) => `${name}: ${rows}`),
    };
  }
}

function collectScans(node: PlanNode): { name: string; rows: number }[] {
  const inner = (node.Plans ?? []).flatMap(collectScans);
  const { 'Relation Name': table, 'Index Name': index } = node;
  if (table === undefined) return inner;
  const perLoop =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const rows = Math.round(perLoop * (node['Actual Loops'] ?? 0));
  return [{ name: `${node['Node Type']} on ${table}${index ? ` using ${index}` : ''}`, rows }, ...inner];
}

/** Returns the statements that the service sends to its driver in the meantime. */
export async function collectStatements(call: () => Promise<unknown>): Promise<SentStatement[]> {
  const prototype = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  const statements: SentStatement[] = [];
  prototype.query = function (...given) {
    if (given[0] instanceof Object && 'values' in given[0]) statements.push(given[0] as SentStatement);
    return query.apply(this, given);
  };
  await call().finally(() => (prototype.query = query));
  return statements;
}
