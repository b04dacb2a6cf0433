import { parseArgs } from 'node:util';
import { WORKLOADS } from './workloads.js';

/** What is to be measured, and where the figures go. */
export type BenchOptions = {
  parts: readonly string[];
  rounds: number;
  seconds: number;
  sessions: number;
  html?: string;
  json?: string;
};

export const HELP = `Measures the product beside its yardstick on a PostgreSQL of its own. Leave the machine alone meanwhile.

  npm run bench -- [options]

  --only plan,sessions     only these: ${WORKLOADS.map(({ name }) => name).join(', ')}
  --rounds 5               rounds of each, interleaved
  --seconds 3              length of each measurement
  --sessions 100000        Sessions that there are before it begins
  --html FILE              write one self-contained page with the plots
  --json FILE              write the figures
  --help                   print this
`;

/** Something in the call that is not as it should be: told in one line. */
export class UsageError extends Error {}

const OPTIONS = {
  only: { type: 'string' },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '3' },
  sessions: { type: 'string', default: '100000' },
  html: { type: 'string' },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * The command line as options; undefined: help is asked for.
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
    html: values.html,
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/[.\n]/, 1)[0]!}. See --help.`);
  }
}

const PARTS = WORKLOADS.map(({ name }) => name);

function partsOf(only: string | undefined): string[] {
  const parts = only === undefined ? PARTS : only.split(',');
  const unknown = parts.filter((part) => !PARTS.includes(part));
  if (unknown.length > 0) throw new UsageError(`--only knows ${PARTS.join(', ')}; not ${unknown.join(', ')}.`);
  return parts;
}

function asCount(option: string, value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1) throw new UsageError(`--${option} must be a whole number from 1.`);
  return count;
}
