import { parseArgs } from 'node:util';
import { ALL_PARTS, DEFAULT_PARTS } from './parts.js';

/** The parts to measure, and the output files. */
export type BenchOptions = {
  parts: readonly string[];
  rounds: number;
  seconds: number;
  sessions: number;
  due: number;
  pending: number;
  drainRounds: number;
  idleSizes: readonly number[];
  growthSizes: readonly number[];
  growthCalls: number;
  clusterSizes: readonly number[];
  /** Space on the disk that stays free, in bytes. */
  keepFree: number;
  nameSizes: readonly number[];
  minutes: number;
  costCalls: number;
  costReminders: number;
  html?: string;
  json?: string;
  notes?: string;
  sharedBuffers?: string;
};

export const HELP_TEXT = `Measures the service beside a hand-written yardstick, on its own PostgreSQL. Run nothing else on the machine meanwhile.

  npm run bench -- [options]

  --only plan,drain        measure only these parts: ${ALL_PARTS.join(', ')}
                           default: all but profile, growth, cluster, memory, names, encryption and cost
  --rounds 5               rounds of each workload, of pgbench and of start, interleaved
  --seconds 2              length of each measurement of a workload
  --sessions 100000        Sessions in the database before the measurement
  --due 100000             drain: reminders that are due
  --pending 1000000        drain: all pending reminders, with those that are due
  --drain-rounds 3         rounds of the drain
  --idle-sizes 10000,100000,1000000             idle: pending reminders (10000000 takes a quarter of an hour)
  --growth-sizes 10000,100000,1000000,10000000  growth: Sessions, in rising order
  --growth-calls 300       growth: calls of each operation
  --cluster-sizes 120000,1000000                cluster: Sessions, in rising order (CITUS_PROGRAMS names the programs)
  --keep-free 15GB         growth, cluster: stop before less than this is free on the disk
  --name-sizes 1000,20000  names: Clients of a Clinic, in rising order
  --minutes 30             memory: duration of the load
  --cost-calls 3000        cost: calls of each operation
  --cost-reminders 20000   cost: reminders that are delivered
  --shared-buffers 4GB     shared_buffers of PostgreSQL instead of its default of 128MB
  --html FILE              write one self-contained page with the plots
  --json FILE              write the figures
  --notes FILE             growth: write the query plans as Markdown
  --help                   print this
`;

/** The command line is invalid. The message is printed in one line. */
export class UsageError extends Error {}

const OPTIONS = {
  only: { type: 'string', default: DEFAULT_PARTS.join(',') },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '2' },
  sessions: { type: 'string', default: '100000' },
  due: { type: 'string', default: '100000' },
  pending: { type: 'string', default: '1000000' },
  'drain-rounds': { type: 'string', default: '3' },
  'idle-sizes': { type: 'string', default: '10000,100000,1000000' },
  'growth-sizes': { type: 'string', default: '10000,100000,1000000,10000000' },
  'growth-calls': { type: 'string', default: '300' },
  'cluster-sizes': { type: 'string', default: '120000,1000000' },
  'keep-free': { type: 'string', default: '15GB' },
  'name-sizes': { type: 'string', default: '1000,20000' },
  minutes: { type: 'string', default: '30' },
  'cost-calls': { type: 'string', default: '3000' },
  'cost-reminders': { type: 'string', default: '20000' },
  'shared-buffers': { type: 'string' },
  html: { type: 'string' },
  json: { type: 'string' },
  notes: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Parses the command line. Returns undefined for `--help`.
 *
 * @throws UsageError
 */
export function readOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parse(args);
  if (values.help) return undefined;
  return {
    parts: partsOf(values.only),
    rounds: asCount('rounds', values.rounds),
    seconds: asCount('seconds', values.seconds),
    sessions: asCount('sessions', values.sessions),
    due: asCount('due', values.due),
    pending: asCount('pending', values.pending),
    drainRounds: asCount('drain-rounds', values['drain-rounds']),
    idleSizes: asSizes('idle-sizes', values['idle-sizes']),
    growthSizes: asSizes('growth-sizes', values['growth-sizes']),
    growthCalls: asCount('growth-calls', values['growth-calls']),
    clusterSizes: asSizes('cluster-sizes', values['cluster-sizes']),
    keepFree: toBytes(asMemory('keep-free', values['keep-free'])!),
    nameSizes: asSizes('name-sizes', values['name-sizes']),
    minutes: asCount('minutes', values.minutes),
    costCalls: asCount('cost-calls', values['cost-calls']),
    costReminders: asCount('cost-reminders', values['cost-reminders']),
    html: values.html,
    json: values.json,
    notes: values.notes,
    sharedBuffers: asMemory('shared-buffers', values['shared-buffers']),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/[.\n]/, 1)[0]!}. See --help.`);
  }
}

function partsOf(only: string): string[] {
  const parts = only.split(',');
  const unknown = parts.filter((part) => !ALL_PARTS.includes(part));
  if (unknown.length > 0) throw new UsageError(`--only knows ${ALL_PARTS.join(', ')}; not ${unknown.join(', ')}.`);
  return parts;
}

function asMemory(option: string, value: string | undefined): string | undefined {
  if (value === undefined || /^[1-9]\d{0,5}[MG]B$/.test(value)) return value;
  throw new UsageError(`--${option} must be like 512MB or 4GB.`);
}

function toBytes(memory: string): number {
  return Number.parseInt(memory, 10) * (memory.endsWith('GB') ? 1e9 : 1e6);
}

function asSizes(option: string, value: string): number[] {
  const sizes = value.split(',').map((size) => asCount(option, size));
  if (sizes.some((size, index) => size % 1_000 !== 0 || (index > 0 && size <= sizes[index - 1]!)))
    throw new UsageError(`--${option} must be thousands, in rising order.`);
  return sizes;
}

function asCount(option: string, value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1) throw new UsageError(`--${option} must be a whole number from 1.`);
  return count;
}
