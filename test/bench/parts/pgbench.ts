import { spawn } from 'node:child_process';
import type pg from 'pg';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchmarkContext, BenchmarkPart } from '../run/section.js';
import { canRun, CORE_ASSIGNMENT, pinToCores } from '../run/machine.js';
import { sendRequest } from '../run/load.js';
import { ServerProcess, YARDSTICK_VARIANT } from '../run/server.js';
import { computeFigure, type MedianAndRange } from '../run/statistics.js';
import { formatRounded, formatSpread } from '../run/table.js';
import { DatabaseProxy, type SentStatement } from '../run/wire.js';
import { createPlanWorkload, createSessionsWorkload, type Workload } from '../run/workloads.js';

const PLACES = ['pgbench', ...[18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin/pgbench`)];
const CLIENTS = 16;
/** Number of recorded requests. It is so large that clients rarely use the same rows at the same time. */
const SCRIPTS = 64;
/** SQL for the ID of a series, which must differ in each execution. */
const SERIES = `('00000000-0000-7000-8000-' || lpad(:series::text, 12, '0'))::uuid`;

/**
 * Measures the capacity of the database: runs the statements of the hand-written service (the yardstick) without a
 * server in front of the database.
 */
export const pgbenchPart: BenchmarkPart = {
  name: 'pgbench',
  title: 'pgbench: the statements of the yardstick, prepared, 16 clients',
  async run(bench) {
    const program = PLACES.find((place) => (place.includes('/') ? existsSync(place) : canRun(place, ['--version'])));
    const found: { workload: string; perSecond: MedianAndRange }[] = [];
    for (const workload of program === undefined ? [] : [createPlanWorkload, createSessionsWorkload]) {
      const directory = mkdtempSync(join(tmpdir(), 'care-bench-'));
      const scripts = await record(bench, workload, directory);
      const rates: number[] = [];
      for (let round = 1; round <= bench.options.rounds; round += 1) {
        bench.tell(`pgbench: ${workload.name}, round ${round} of ${bench.options.rounds}`);
        rates.push(await repeat(program!, bench, scripts));
      }
      rmSync(directory, { recursive: true });
      found.push({ workload: workload.name, perSecond: computeFigure(rates) });
    }
    return {
      ...{ name: pgbenchPart.name, title: pgbenchPart.title, figures: found, verdicts: [] },
      header: ['', 'per second', '(low–high)'],
      rows: found.map(({ workload, perSecond }) => [
        workload,
        formatRounded(perSecond.median),
        formatSpread(perSecond),
      ]),
      charts: [
        {
          ...{ kind: 'bars', title: 'Transactions a second', unit: '/s', scale: 'own' },
          groups: found.map(({ workload, perSecond }) => ({
            name: workload,
            bars: [{ name: 'pgbench', figure: perSecond }],
          })),
        },
      ],
      notes: [
        program === undefined
          ? 'Skipped: pgbench is not installed.'
          : `The statements of ${SCRIPTS} requests, read off the wire. Who the caller is goes in a round trip of its own, and the values are always the same ones.`,
      ],
    };
  },
};

/** Sends requests to the yardstick, and records the statements that it sends to the database. */
async function record(bench: BenchmarkContext, workload: Workload, directory: string): Promise<string[]> {
  const scene = await bench.scene();
  const wire = await DatabaseProxy.open(bench.database.urlOf());
  const server = await ServerProcess.start(YARDSTICK_VARIANT, wire.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  scene.restart(77);
  const source = await workload.open(scene);
  const files: string[] = [];
  wire.take();
  for (let call = 0; call < SCRIPTS; call += 1) {
    if (!(await sendRequest(agent, server.url, source()))) throw new Error(`${workload.name} fails`);
    const file = join(directory, `${call}.sql`);
    writeFileSync(file, await scriptOf(wire.take().sent, (text) => typesOf(bench.database.owner, text)));
    files.push(file);
  }
  agent.destroy();
  await server.stop();
  wire.close();
  return files;
}

type Types = (text: string) => Promise<string[]>;

async function scriptOf(sent: readonly SentStatement[], typesOf: Types): Promise<string> {
  const lines = ['\\set series random(0, 999999999999)'];
  for (const { text, values } of sent)
    lines.push(
      ...(values.length > 0
        ? [filledIn(text, values, await typesOf(text))]
        : text.split(';').map((part) => part.trim())),
    );
  return lines.map((line, index) => (index === 0 ? line : `${line.replaceAll('\n', ' ')};`)).join('\n');
}

/** Returns the types of a statement's parameters, to which literal values are cast. */
async function typesOf(owner: pg.Client, text: string): Promise<string[]> {
  await owner.query(`prepare recorded as ${text}`);
  const { rows } = await owner.query<{ types: string[] }>(
    `select parameter_types::text[] as types from pg_prepared_statements where name = 'recorded'`,
  );
  await owner.query('deallocate recorded');
  return rows[0]!.types;
}

/**
 * Replaces parameters with literals. If the first parameter is a UUID, it is the key of a new row and must differ in
 * each execution.
 */
function filledIn(text: string, values: readonly (string | null)[], types: readonly string[]): string {
  const [first] = values;
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const index = Number(number) - 1;
    const value = values[index]!;
    const isKey = value === first && /^[0-9a-f-]{36}$/.test(value);
    return isKey ? SERIES : `${literal(value)}::${types[index]!}`;
  });
}

/** Formats an SQL literal without colons, which would start a variable in pgbench scripts. */
function literal(value: string | null): string {
  if (value === null) return 'null';
  return `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll(':', '\\x3a')}'`;
}

async function repeat(
  program: string,
  { database, options }: BenchmarkContext,
  scripts: readonly string[],
): Promise<number> {
  const parameters = ['-n', '-M', 'prepared', '-c', String(CLIENTS), '-T', String(options.seconds)];
  const url = database.urlOf();
  const child = spawn(program, [...parameters, ...scripts.flatMap((file) => ['-f', file]), url], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  pinToCores(child.pid!, CORE_ASSIGNMENT?.server);
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const [code] = (await once(child, 'close')) as [number];
  const rate = /^tps = ([\d.]+)/m.exec(output)?.[1];
  if (code !== 0 || rate === undefined) throw new Error(`pgbench: ${output.slice(0, 2_000)}`);
  return Number(rate);
}
