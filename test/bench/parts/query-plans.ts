import { Agent } from 'node:http';
import type pg from 'pg';
import type { Database } from '../run/database.js';
import { send } from '../run/load.js';
import { PRODUCT, ServerProcess } from '../run/server.js';
import { count } from '../run/table.js';
import { Wire } from '../run/wire.js';
import type { Scene, Workload } from '../run/workloads.js';
import type { GrowthResult } from './growth.js';

/** The query plans of the statements of one request, keyed by operation. */
export type QueryPlans = Record<string, string[]>;

const WARM_UP = 20;
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
  database: Database,
  name: string,
  owner: pg.Client,
  scene: Scene,
  workloads: readonly Workload[],
): Promise<QueryPlans> {
  for (const [setting, value] of Object.entries(SETTINGS))
    await owner.query(`alter role ${LOGIN} in database ${name} set ${setting} = '${value}'`);
  const wire = await Wire.open(database.urlOf(name));
  const server = await ServerProcess.start(PRODUCT, wire.url, { environment: { DATABASE_POOL_SIZE: '1' } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const plans: QueryPlans = {};
  for (const workload of workloads) {
    scene.rewind(12);
    const source = await workload.open(scene);
    // PostgreSQL may switch a prepared statement to a generic plan after five executions.
    for (let call = 0; call < WARM_UP; call += 1) await send(agent, server.url, source());
    wire.take();
    if (!(await send(agent, server.url, source()))) throw new Error(`${workload.name} fails`);
    plans[workload.name] = wire.take().notices.filter((notice) => notice.startsWith('duration:'));
  }
  agent.destroy();
  await server.stop();
  wire.close();
  await owner.query(`alter role ${LOGIN} in database ${name} reset all`);
  return plans;
}

/** Renders Markdown with the times of each operation by size, and its plans at the largest size. */
export function renderPlans(found: readonly GrowthResult[], sharedBuffers = '128MB'): string {
  const last = found.at(-1)!;
  const head = found.map(({ sessions }) => `${count(sessions)} Sessions`);
  const operations = Object.entries(last.plans).map(([name, plans]) => {
    const times = found.map(({ milliseconds }) => `${milliseconds[name]!.median.toFixed(2)} ms`);
    const lines = [head, head.map((cell) => '-'.repeat(cell.length)), times];
    const cells = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(head[column]!.length)).join(' | ');
    const table = lines.map((row) => `| ${cells(row)} |`).join('\n');
    const blocks = plans.map((plan) => `\`\`\`\n${shortened(plan)}\n\`\`\``).join('\n\n');
    return `## ${name}\n\n${table}\n\n${blocks}`;
  });
  return `# Query plans at ${count(last.sessions)} Sessions

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
