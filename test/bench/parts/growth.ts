import { Agent } from 'node:http';
import { writeFileSync } from 'node:fs';
import type pg from 'pg';
import { sendRequest } from '../run/load.js';
import { seedDatabase } from '../run/seed.js';
import { requireAtMost, type BenchmarkContext, type BenchmarkPart } from '../run/section.js';
import { PRODUCT_VARIANT, ServerProcess } from '../run/server.js';
import { quantile, type MedianAndRange } from '../run/statistics.js';
import { formatRounded } from '../run/table.js';
import { RequestGenerator, WORKLOADS, type Workload } from '../run/workloads.js';
import { fillSessions } from './growth-rows.js';
import { collectQueryPlans, renderPlans, type QueryPlans } from './query-plans.js';

const CLINICS = 1_000;
/** Number of Sessions of the Clinic whose Sessions are listed, so that a page is full at every size. */
const LARGEST = 1_000;
const WARM_UP = 100;
const DATABASE = 'growth';

const OPERATIONS = WORKLOADS.filter(({ name }) => name !== 'mixed');

export type GrowthResult = {
  sessions: number;
  milliseconds: Record<string, MedianAndRange & { p99: number }>;
  plans: QueryPlans;
};

/** Measures the cost of each operation with a growing number of Sessions and the same number of Clinics. */
export const growthPart: BenchmarkPart = {
  name: 'growth',
  title: `Growth: Sessions of ${formatRounded(CLINICS)} Clinics`,
  async run(bench) {
    const { database, options, tell } = bench;
    const owner = await database.connect(await database.create(DATABASE));
    tell(`growth: ${formatRounded(CLINICS)} Clinics`);
    const blocks = [
      { clinics: 1, sessions: LARGEST },
      { clinics: CLINICS - 1, sessions: 0 },
    ];
    await seedDatabase(owner, blocks);
    const scene = await RequestGenerator.of(owner, blocks);
    const found: GrowthResult[] = [];
    let there = LARGEST;
    for (const sessions of options.growthSizes) {
      const range = { from: there, to: sessions, clinics: CLINICS };
      await fillSessions(owner, range, (done) =>
        tell(`growth: ${formatRounded(done)} of ${formatRounded(sessions)} Sessions`),
      );
      there = sessions;
      tell(`growth: ${formatRounded(sessions)} Sessions, statistics`);
      await owner.query('vacuum analyze');
      await owner.query('checkpoint');
      found.push(await measure(bench, owner, scene, sessions));
    }
    await owner.end();
    await database.drop(DATABASE);
    if (options.notes !== undefined) writeFileSync(options.notes, renderPlans(found, options.sharedBuffers));
    return sectionOf(found, options.notes);
  },
};

async function measure(
  bench: BenchmarkContext,
  owner: pg.Client,
  scene: RequestGenerator,
  sessions: number,
): Promise<GrowthResult> {
  const { database, options, tell } = bench;
  const server = await ServerProcess.start(PRODUCT_VARIANT, database.urlOf(DATABASE));
  const milliseconds: GrowthResult['milliseconds'] = {};
  for (const [index, workload] of OPERATIONS.entries()) {
    tell(`growth: ${formatRounded(sessions)} Sessions, ${workload.name}`, index, OPERATIONS.length);
    const times = await timesOf(server.url, scene, workload, options.growthCalls);
    const figure = { median: quantile(times, 0.5), low: quantile(times, 0.25), high: quantile(times, 0.75) };
    milliseconds[workload.name] = { ...figure, p99: quantile(times, 0.99) };
  }
  await server.stop();
  tell(`growth: ${formatRounded(sessions)} Sessions, query plans`);
  return { sessions, milliseconds, plans: await collectQueryPlans(database, DATABASE, owner, scene, OPERATIONS) };
}

/** Sends requests one after another on one connection. Returns their durations in milliseconds. */
async function timesOf(url: string, scene: RequestGenerator, workload: Workload, calls: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  scene.restart(11);
  const source = await workload.open(scene);
  const times: number[] = [];
  for (let call = 0; call < WARM_UP + calls; call += 1) {
    const begin = performance.now();
    if (!(await sendRequest(agent, url, source()))) throw new Error(`${workload.name} fails`);
    if (call >= WARM_UP) times.push(performance.now() - begin);
  }
  agent.destroy();
  return times;
}

function sectionOf(found: readonly GrowthResult[], notes: string | undefined) {
  const [first, last] = [found[0]!, found.at(-1)!];
  const growthOf = (name: string) => last.milliseconds[name]!.median / first.milliseconds[name]!.median;
  return {
    ...{ name: growthPart.name, title: growthPart.title, figures: found },
    header: ['median ms', ...found.map(({ sessions }) => formatRounded(sessions)), 'last of first', 'p99 of the last'],
    rows: OPERATIONS.map(({ name }) => [
      ...[name, ...found.map(({ milliseconds }) => milliseconds[name]!.median.toFixed(2))],
      ...[growthOf(name).toFixed(2), last.milliseconds[name]!.p99.toFixed(2)],
    ]),
    charts: [
      {
        ...{
          kind: 'bars' as const,
          title: 'One call on one connection, by Sessions',
          unit: 'ms',
          scale: 'own' as const,
        },
        groups: OPERATIONS.map(({ name }) => ({
          name,
          bars: found.map(({ sessions, milliseconds }) => ({
            name: formatRounded(sessions),
            figure: milliseconds[name]!,
          })),
        })),
      },
    ],
    verdicts:
      found.length < 2
        ? []
        : OPERATIONS.map(({ name }) =>
            requireAtMost(
              `${name}, ${formatRounded(last.sessions)} Sessions to ${formatRounded(first.sessions)}`,
              growthOf(name),
              1.5,
            ),
          ),
    notes: [
      'Each Session has one Book and one reminder here, so that ten million of them find room; the Clinic whose Sessions are listed has 1,000 from the beginning. The spread is that of the quartiles.',
      notes === undefined ? 'Query plans: --notes FILE.' : `Query plans: ${notes}.`,
    ],
  };
}
