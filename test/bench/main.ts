import { writeFileSync } from 'node:fs';
import { renderPage } from './page/page.js';
import { clusterPart } from './parts/cluster.js';
import { cost } from './parts/cost.js';
import { drainPart } from './parts/drain.js';
import { encryptionPart } from './parts/encryption.js';
import { growthPart } from './parts/growth.js';
import { idlePart } from './parts/idle.js';
import { memoryPart } from './parts/memory.js';
import { namesPart } from './parts/names.js';
import { pgbenchPart } from './parts/pgbench.js';
import { profilePart } from './parts/profile.js';
import { startPart } from './parts/start.js';
import { requireAgreement } from './run/agreement.js';
import { BenchmarkDatabase } from './run/database.js';
import { VARIANT_DIFFERENCES } from './run/differences.js';
import { CORE_ASSIGNMENT, describeMachine, pinToCores } from './run/machine.js';
import { HELP_TEXT, readOptions, UsageError, type BenchOptions } from './run/options.js';
import { ProgressLine } from './run/progress.js';
import { seedDatabase } from './run/seed.js';
import type { BenchmarkContext, BenchmarkPart, ReportSection } from './run/section.js';
import { COMMON_VARIANT, PRODUCT_VARIANT, YARDSTICK_VARIANT } from './run/server.js';
import { renderText } from './run/table.js';
import { throughputSection } from './run/throughput-section.js';
import { Throughput } from './run/throughput.js';
import { RequestGenerator, WORKLOADS, type Workload } from './run/workloads.js';

const PARTS: readonly BenchmarkPart[] = [
  pgbenchPart,
  drainPart,
  idlePart,
  startPart,
  profilePart,
  growthPart,
  clusterPart,
  memoryPart,
  namesPart,
  encryptionPart,
  cost,
];

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(HELP_TEXT);
  else await bench(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function bench(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  pinToCores(process.pid, CORE_ASSIGNMENT?.others);
  const progress = new ProgressLine(process.stderr);
  progress.tell('PostgreSQL starts');
  const database = await BenchmarkDatabase.start(options.sharedBuffers);
  try {
    const tell: BenchmarkContext['tell'] = (...told) => progress.tell(...told);
    let scene: Promise<RequestGenerator> | undefined;
    const given: BenchmarkContext = {
      database,
      options,
      tell,
      scene: () => (scene ??= sceneOf(database, options, tell)),
    };
    const sections = await sectionsOf(given);
    progress.end();
    process.stdout.write(`${renderText(sections)}\n`);
    const report = {
      machine,
      database: await database.settings(),
      options,
      differences: VARIANT_DIFFERENCES,
      sections,
    };
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    if (options.html !== undefined) writeFileSync(options.html, renderPage(report));
  } finally {
    await database.stop();
  }
}

async function sectionsOf(bench: BenchmarkContext): Promise<ReportSection[]> {
  const { parts } = bench.options;
  const workloads = WORKLOADS.filter(({ name }) => parts.includes(name));
  const title = 'Requests of the workloads';
  const throughput: BenchmarkPart = { name: 'throughput', title, run: () => measureWorkloads(bench, workloads) };
  const wanted = [...(workloads.length > 0 ? [throughput] : []), ...PARTS.filter(({ name }) => parts.includes(name))];
  const sections: ReportSection[] = [];
  for (const part of wanted) sections.push(await part.run(bench).catch((error: unknown) => failed(part, error)));
  return sections;
}

/** Creates the section for a part that has failed, so that the results of the other parts are kept. */
function failed({ name, title }: BenchmarkPart, error: unknown): ReportSection {
  process.exitCode = 1;
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { name, title, header: [], rows: [], charts: [], verdicts: [], notes: [`FAILED: ${told}`], figures: null };
}

async function measureWorkloads(
  { database, options, tell, scene }: BenchmarkContext,
  workloads: Workload[],
): Promise<ReportSection> {
  tell('do all variants do the same?');
  await requireAgreement(database);
  const throughput = new Throughput(
    database,
    await scene(),
    [YARDSTICK_VARIANT, PRODUCT_VARIANT, COMMON_VARIANT],
    options,
    tell,
  );
  return throughputSection(await throughput.run(workloads), [
    `The common way serves ${COMMON_VARIANT.serves!.join(', ')}; it is left out of the others.`,
  ]);
}

async function sceneOf(
  database: BenchmarkDatabase,
  { sessions }: BenchOptions,
  tell: BenchmarkContext['tell'],
): Promise<RequestGenerator> {
  const blocks = [
    { clinics: 1, sessions },
    { clinics: 100, sessions: 200 },
  ];
  tell('rows that are there before');
  await seedDatabase(database.owner, blocks);
  await database.runMaintenance();
  return RequestGenerator.of(database.owner, blocks);
}
