import { writeFileSync } from 'node:fs';
import { renderPage } from './page/page.js';
import { cost } from './parts/cost.js';
import { drain } from './parts/drain.js';
import { encryption } from './parts/encryption.js';
import { growth } from './parts/growth.js';
import { idle } from './parts/idle.js';
import { memory } from './parts/memory.js';
import { names } from './parts/names.js';
import { pgbench } from './parts/pgbench.js';
import { profile } from './parts/profile.js';
import { start } from './parts/start.js';
import { requireAgreement } from './run/agreement.js';
import { Database } from './run/database.js';
import { DIFFERENCES } from './run/differences.js';
import { CORES, describeMachine, pin } from './run/machine.js';
import { HELP, readOptions, UsageError, type BenchOptions } from './run/options.js';
import { ProgressLine } from './run/progress.js';
import { seed } from './run/seed.js';
import type { Bench, Part, Section } from './run/section.js';
import { COMMON, PRODUCT, YARDSTICK } from './run/server.js';
import { renderText } from './run/table.js';
import { throughputSection } from './run/throughput-section.js';
import { Throughput } from './run/throughput.js';
import { Scene, WORKLOADS, type Workload } from './run/workloads.js';

const PARTS: readonly Part[] = [pgbench, drain, idle, start, profile, growth, memory, names, encryption, cost];

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(HELP);
  else await bench(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function bench(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  pin(process.pid, CORES?.others);
  const progress = new ProgressLine(process.stderr);
  progress.tell('PostgreSQL starts');
  const database = await Database.start(options.sharedBuffers);
  try {
    const tell: Bench['tell'] = (...told) => progress.tell(...told);
    let scene: Promise<Scene> | undefined;
    const given: Bench = { database, options, tell, scene: () => (scene ??= sceneOf(database, options, tell)) };
    const sections = await sectionsOf(given);
    progress.end();
    process.stdout.write(`${renderText(sections)}\n`);
    const report = { machine, database: await database.settings(), options, differences: DIFFERENCES, sections };
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    if (options.html !== undefined) writeFileSync(options.html, renderPage(report));
  } finally {
    await database.stop();
  }
}

async function sectionsOf(bench: Bench): Promise<Section[]> {
  const { parts } = bench.options;
  const workloads = WORKLOADS.filter(({ name }) => parts.includes(name));
  const title = 'Requests of the workloads';
  const throughput: Part = { name: 'throughput', title, run: () => measureWorkloads(bench, workloads) };
  const wanted = [...(workloads.length > 0 ? [throughput] : []), ...PARTS.filter(({ name }) => parts.includes(name))];
  const sections: Section[] = [];
  for (const part of wanted) sections.push(await part.run(bench).catch((error: unknown) => failed(part, error)));
  return sections;
}

/** Creates the section for a part that has failed, so that the results of the other parts are kept. */
function failed({ name, title }: Part, error: unknown): Section {
  process.exitCode = 1;
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { name, title, header: [], rows: [], charts: [], verdicts: [], notes: [`FAILED: ${told}`], figures: null };
}

async function measureWorkloads({ database, options, tell, scene }: Bench, workloads: Workload[]): Promise<Section> {
  tell('do all variants do the same?');
  await requireAgreement(
    database,
    [PRODUCT, YARDSTICK, COMMON],
    WORKLOADS.filter(({ name }) => name !== 'mixed'),
  );
  const throughput = new Throughput(database, await scene(), [YARDSTICK, PRODUCT, COMMON], options, tell);
  return throughputSection(await throughput.run(workloads), [
    `The common way serves ${COMMON.serves!.join(', ')}; it is left out of the others.`,
  ]);
}

async function sceneOf(database: Database, { sessions }: BenchOptions, tell: Bench['tell']): Promise<Scene> {
  const blocks = [
    { clinics: 1, sessions },
    { clinics: 100, sessions: 200 },
  ];
  tell('rows that are there before');
  await seed(database.owner, blocks);
  await database.settle();
  return Scene.of(database.owner, blocks);
}
