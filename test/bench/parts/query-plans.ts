import { Agent } from 'node:http';
import type pg from 'pg';
import type { BenchmarkDatabase } from '../run/database.js';
import { requireAnswer, sendRequest } from '../run/load.js';
import { PRODUCT_VARIANT, ServerProcess } from '../run/server.js';
import { formatRounded } from '../run/table.js';
import { DatabaseProxy } from '../run/wire.js';
import type { RequestGenerator, Workload } from '../run/workloads.js';
import type { GrowthResult } from './growth.js';

/** The query plans of the statements of one request, keyed by operation. */
export type QueryPlans = Record<string, string[]>;

const WARM_UP = 20;
const ATTEMPTS = 5;
/** Settings for the login of the service. PostgreSQL sends the plans as notices, which are read from the connection. */
const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_level': 'notice',
};
const LOGIN = 'scheduling_app';

/** Collects the executed plans with auto_explain, including those of prepared statements and row-level security. */
export async function collectQueryPlans(
  database: BenchmarkDatabase,
  name: string,
  owner: pg.Client,
  scene: RequestGenerator,
  workloads: readonly Workload[],
): Promise<QueryPlans> {
  for (const [setting, value] of Object.entries(SETTINGS))
    await owner.query(`alter role ${LOGIN} in database ${name} set ${setting} = '${value}'`);
  const wire = await DatabaseProxy.open(database.urlOf(name));
  const server = await ServerProcess.start(PRODUCT_VARIANT, wire.url, { environment: { DATABASE_POOL_SIZE: '1' } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const plans: QueryPlans = {};
  try {
    for (const workload of workloads) {
      scene.restart(12);
      const source = await workload.open(scene);
      // PostgreSQL may switch a prepared statement to a generic plan after five executions.
      for (let call = 0; call < WARM_UP; call += 1) await sendRequest(agent, server.url, source());
      plans[workload.name] = await plansOfCall(wire, () => requireAnswer(agent, server.url, source()));
    }
  } finally {
    agent.destroy();
    await server.stop();
    wire.close();
  }
  await owner.query(`alter role ${LOGIN} in database ${name} reset all`);
  return plans;
}

/** A request can be refused while plans make it slow, because it waits for the only connection. */
async function plansOfCall(wire: DatabaseProxy, send: () => Promise<unknown>): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    wire.take();
    try {
      await send();
      return wire.take().notices.filter((notice) => notice.startsWith('duration:'));
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** Tables whose number of rows grows with that of the Sessions or of the requests. */
const SCAN = /Seq Scan on (?:session|session_series|homework|reminder|audit_entry\w*|design_plan)\b.*/g;

/** Finds the plans that read a whole table that grows. */
export function findScans(plans: QueryPlans): string[] {
  return Object.entries(plans).flatMap(([name, own]) =>
    own.flatMap((plan) => [...plan.matchAll(SCAN)].map(([scan]) => `${name}: ${scan}`)),
  );
}

/** Renders Markdown with the times of each operation by size, and its plans at the largest size. */
export function renderPlans(found: readonly GrowthResult[], sharedBuffers = '128MB'): string {
  const last = found.at(-1)!;
  const head = found.map(({ sessions }) => `${formatRounded(sessions)} Sessions`);
  const operations = Object.entries(last.plans).map(([name, plans]) => {
    const times = found.map(({ milliseconds }) => `${milliseconds[name]!.median.toFixed(2)} ms`);
    const lines = [head, head.map((cell) => '-'.repeat(cell.length)), times];
    const cells = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(head[column]!.length)).join(' | ');
    const table = lines.map((row) => `| ${cells(row)} |`).join('\n');
    const blocks = plans.map((plan) => `\`\`\`\n${shortened(plan)}\n\`\`\``).join('\n\n');
    return `## ${name}\n\n${table}\n\n${blocks}`;
  });
  return `# Query plans at ${formatRounded(last.sessions)} Sessions

Of one request of each operation after ${WARM_UP} others, as \`auto_explain\` tells them (\`npm run bench -- --only growth --notes FILE\`);
\`shared_buffers\` ${sharedBuffers}.

${operations.join('\n\n')}
`;
}

/** Shortens long documents and lists of values in a plan. */
function shortened(plan: string): string {
  return plan
    .split('\n')
    .map((line) => line.replaceAll(/\t/g, '  ').trimEnd())
    .map((line) => (line.length > 240 ? `${line.slice(0, 240)} …` : line))
    .join('\n')
    .replace(/^duration: [\d.]+ ms\s+plan:\n/, '');
}
