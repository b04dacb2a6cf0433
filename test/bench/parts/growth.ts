import { writeFileSync } from 'node:fs';
import type pg from 'pg';
import { asGb, DiskReserve, DiskSpaceError } from '../run/disk-reserve.js';
import { timeCalls } from '../run/load.js';
import { ALL_CORES } from '../run/machine.js';
import type { BenchOptions } from '../run/options.js';
import { seedDatabase } from '../run/seed.js';
import { requireAtLeast, requireAtMost, type BenchmarkContext, type BenchmarkPart } from '../run/section.js';
import { PRODUCT_VARIANT, ServerProcess } from '../run/server.js';
import { quantile, type MedianAndRange } from '../run/statistics.js';
import { formatRounded } from '../run/table.js';
import { RequestGenerator, WORKLOADS } from '../run/workloads.js';
import { bytesOfSessions, fillSessions, SETTINGS_OF_FILL, type GrowthRange } from './growth-rows.js';
import { collectQueryPlans, findScans, renderPlans, type QueryPlans } from './query-plans.js';

const CLINICS = 1_000;
/** Number of Sessions of the Clinic whose Sessions are listed, so that a page is full at every size. */
const LARGEST = 1_000;
const WARM_UP = 100;
const DATABASE = 'growth';

const OPERATIONS = WORKLOADS.filter(({ name }) => name !== 'mixed');

export type GrowthResult = {
  sessions: number;
  /** Size of the tables that grow, with their indexes. */
  bytes: number;
  milliseconds: Record<string, MedianAndRange & { p99: number; answerBytes: number }>;
  plans: QueryPlans;
};

/** Measures the cost of each operation with a growing number of Sessions and the same number of Clinics. */
export const growthPart: BenchmarkPart = {
  name: 'growth',
  title: `Growth: Sessions of ${formatRounded(CLINICS)} Clinics`,
  async run(bench) {
    const { database, options, tell } = bench;
    const url = await database.create(DATABASE);
    const owner = await database.connect(url);
    tell(`growth: ${formatRounded(CLINICS)} Clinics`);
    const blocks = [
      { clinics: 1, sessions: LARGEST },
      { clinics: CLINICS - 1, sessions: 0 },
    ];
    await seedDatabase(owner, blocks);
    const scene = await RequestGenerator.of(owner, blocks);
    const found: GrowthResult[] = [];
    let [there, stopped] = [LARGEST, ''];
    for (const sessions of options.growthSizes) {
      stopped = await grow(bench, owner, url, { from: there, to: sessions, clinics: CLINICS });
      if (stopped !== '') break;
      there = sessions;
      try {
        found.push(await measure(bench, owner, scene, sessions));
      } catch (error) {
        // The smaller sizes took long, so their figures are kept.
        stopped = `Failed at ${formatRounded(sessions)} Sessions: ${String(error)}.`;
        break;
      }
    }
    await owner.end();
    await database.drop(DATABASE);
    if (found.length === 0) throw new Error(stopped);
    if (options.notes !== undefined) writeFileSync(options.notes, renderPlans(found, options.sharedBuffers));
    return sectionOf(found, options, stopped);
  },
};

/** Inserts rows, with settings and cores of its own. Returns why not all of them fit, or an empty string. */
async function grow(
  { database, options, tell }: BenchmarkContext,
  owner: pg.Client,
  url: string,
  range: GrowthRange,
): Promise<string> {
  const begin = performance.now();
  const reserve = new DiskReserve(await database.dataDirectory(), options.keepFree);
  const reset = Object.fromEntries(Object.keys(SETTINGS_OF_FILL).map((name) => [name, undefined]));
  database.useCores(ALL_CORES);
  await database.configure(SETTINGS_OF_FILL);
  try {
    await fillSessions(owner, url, range, reserve, (text, done, all) => tell(`growth: ${text}`, done, all));
    tell(`growth: ${formatRounded(range.to)} Sessions, statistics`);
    await owner.query('vacuum analyze');
  } catch (error) {
    if (!(error instanceof DiskSpaceError)) throw error;
    const stopped = `Stopped before ${formatRounded(range.to)} Sessions: ${error.message}.`;
    tell(`growth: ${stopped}`);
    return stopped;
  } finally {
    await database.configure(reset);
    database.useCores();
  }
  await owner.query('checkpoint');
  const minutes = ((performance.now() - begin) / 60_000).toFixed(1);
  tell(`growth: ${formatRounded(range.to)} Sessions in ${minutes} minutes, ${asGb(await bytesOfSessions(owner))}`);
  return '';
}

async function measure(
  bench: BenchmarkContext,
  owner: pg.Client,
  scene: RequestGenerator,
  sessions: number,
): Promise<GrowthResult> {
  const { database, options, tell } = bench;
  const server = await ServerProcess.start(PRODUCT_VARIANT, database.urlOf(DATABASE));
  const milliseconds: GrowthResult['milliseconds'] = {};
  try {
    for (const [index, workload] of OPERATIONS.entries()) {
      tell(`growth: ${formatRounded(sessions)} Sessions, ${workload.name}`, index, OPERATIONS.length);
      scene.restart(11);
      const source = await workload.open(scene);
      const { milliseconds: times, bytes } = await timeCalls(server.url, source, options.growthCalls, WARM_UP);
      const figure = { median: quantile(times, 0.5), low: quantile(times, 0.25), high: quantile(times, 0.75) };
      milliseconds[workload.name] = { ...figure, p99: quantile(times, 0.99), answerBytes: bytes };
      tell(`growth: ${formatRounded(sessions)} Sessions, ${workload.name}: ${figure.median.toFixed(2)} ms`);
    }
  } finally {
    await server.stop();
  }
  tell(`growth: ${formatRounded(sessions)} Sessions, query plans`);
  const plans = await collectQueryPlans(database, DATABASE, owner, scene, OPERATIONS);
  return { sessions, bytes: await bytesOfSessions(owner), milliseconds, plans };
}

function sectionOf(found: readonly GrowthResult[], { notes, growthSizes }: BenchOptions, stopped: string) {
  const [first, last] = [found[0]!, found.at(-1)!];
  const growthOf = (name: string) => last.milliseconds[name]!.median / first.milliseconds[name]!.median;
  return {
    ...{ name: growthPart.name, title: growthPart.title, figures: found },
    header: [
      'median ms',
      ...found.map(({ sessions }) => formatRounded(sessions)),
      'last of first',
      'p99 of the last',
      'answer bytes',
    ],
    rows: OPERATIONS.map(({ name }) => [
      ...[name, ...found.map(({ milliseconds }) => milliseconds[name]!.median.toFixed(2))],
      ...[growthOf(name).toFixed(2), last.milliseconds[name]!.p99.toFixed(2)],
      [first, last].map(({ milliseconds }) => formatRounded(milliseconds[name]!.answerBytes)).join(' → '),
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
    verdicts: [
      requireAtLeast('Sessions of the last size', last.sessions, growthSizes.at(-1)!),
      requireAtMost(
        `scans of growing tables, ${formatRounded(last.sessions)} Sessions`,
        findScans(last.plans).length,
        0,
      ),
      ...(found.length < 2 ? [] : OPERATIONS).map(({ name }) =>
        requireAtMost(
          `${name}, ${formatRounded(last.sessions)} Sessions to ${formatRounded(first.sessions)}`,
          growthOf(name),
          1.5,
        ),
      ),
    ],
    notes: [
      'Each Session has one Book and one reminder here, so that tens of millions of them find room; the Clinic whose Sessions are listed has 1,000 from the beginning. Its own Sessions grow as well, so that a week has more of them, and a page has Sessions of more series: the answers grow too. The spread is that of the quartiles.',
      `Tables that grow, with indexes: ${found.map(({ sessions, bytes }) => `${formatRounded(sessions)} Sessions ${asGb(bytes)}`).join(', ')}.`,
      ...findScans(last.plans).map((scan) => `Scans a table that grows: ${scan}.`),
      ...(stopped === '' ? [] : [stopped]),
      notes === undefined ? 'Query plans: --notes FILE.' : `Query plans: ${notes}.`,
    ],
  };
}
