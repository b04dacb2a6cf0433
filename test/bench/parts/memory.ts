import type pg from 'pg';
import { runFullLoad, runSteadyLoad } from '../run/load.js';
import { residentBytes } from '../run/machine.js';
import type { BenchmarkContext, BenchmarkPart } from '../run/section.js';
import { PRODUCT_VARIANT, ServerProcess } from '../run/server.js';
import { computeSlope, type Slope } from '../run/statistics.js';
import { formatRounded } from '../run/table.js';
import { mixedWorkload, type RequestSource } from '../run/workloads.js';

const CALIBRATION_SECONDS = 10;
const SAMPLE_MS = 1_000;
const SLICE_SECONDS = 15;
/** Number of blocks in the second half. Samples are averaged by block, because neighbouring samples are correlated. */
const BLOCKS_OF_HALF = 15;

type Sample = { minutes: number; megabytes: number };

/** Measures whether the memory of a server under half its maximum load keeps growing. */
export const memoryPart: BenchmarkPart = {
  name: 'memory',
  title: 'Memory at half the maximum rate, mixed requests',
  async run(bench) {
    const { database, options, tell } = bench;
    await bench.scene();
    const server = await ServerProcess.start(PRODUCT_VARIANT, database.urlOf());
    tell('memory: the maximum rate');
    await load(bench, (source) => runFullLoad(server.url, source, CALIBRATION_SECONDS));
    const full = await load(bench, (source) => runFullLoad(server.url, source, CALIBRATION_SECONDS));
    const rate = full.answered / full.seconds / 2;
    const samples: Sample[] = [];
    const connections: number[] = [];
    const begin = performance.now();
    const minutes = () => (performance.now() - begin) / 60_000;
    const sampler = setInterval(
      () => samples.push({ minutes: minutes(), megabytes: residentBytes(server.pid) / 1e6 }),
      SAMPLE_MS,
    );
    let failed = 0;
    try {
      while (minutes() < options.minutes) {
        tell(`memory: ${formatRounded(rate)}/s`, Math.round(minutes() * 10) / 10, options.minutes);
        const slice = await load(bench, (source) => runSteadyLoad(server.url, source, rate, SLICE_SECONDS));
        failed += slice.failed;
        connections.push(await connectionsOf(database.owner));
      }
    } finally {
      clearInterval(sampler);
      await server.stop();
    }
    return sectionOf({ rate, failed, connections, samples, minutes: options.minutes });
  },
};

async function load<T>(bench: BenchmarkContext, run: (source: RequestSource) => Promise<T>): Promise<T> {
  return run(await mixedWorkload.open(await bench.scene()));
}

async function connectionsOf(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend' and usename = 'scheduling_app'`,
  );
  return rows[0]!.count;
}

type Found = { rate: number; failed: number; connections: number[]; samples: Sample[]; minutes: number };

function sectionOf(found: Found) {
  const { rate, failed, connections, samples, minutes } = found;
  const slope = computeSlope(secondHalf(samples));
  const later = connections.slice(Math.floor(connections.length / 2));
  const [low, high] = [Math.min(...later), Math.max(...later)];
  const holds = slope.low <= 0 && slope.high >= 0;
  const interval = `${perHour(slope.low)} to ${perHour(slope.high)}`;
  return {
    ...{ name: memoryPart.name, title: `${memoryPart.title}, ${minutes} minutes`, figures: { ...found, slope } },
    header: ['', 'requests/s', 'resident MB: first', 'middle', 'last', 'slope MB/h', '95 %', 'connections', 'failed'],
    rows: [
      [
        ...['product', formatRounded(rate), ...[0, 0.5, 1].map((share) => formatRounded(at(samples, share)))],
        ...[perHour(slope.perMinute), interval, low === high ? String(low) : `${low}–${high}`, String(failed)],
      ],
    ],
    charts: [
      {
        ...{ kind: 'line' as const, title: 'Resident memory', unit: 'MB', xTitle: 'minutes' },
        points: samples.map(({ minutes: x, megabytes: y }) => ({ x, y })),
      },
    ],
    verdicts: [
      { what: 'slope of the resident size, second half, MB/h (95 %)', found: interval, bound: 'includes 0', holds },
      { what: 'connections, second half', found: `${low} to ${high}`, bound: 'constant', holds: low === high },
    ],
    notes: [`The slope is that of the means of ${BLOCKS_OF_HALF} blocks of the second half, with Student's interval.`],
  };
}

/** Returns the means of the blocks in the second half. */
function secondHalf(samples: readonly Sample[]): { x: number; y: number }[] {
  const half = samples.slice(Math.floor(samples.length / 2));
  const size = Math.max(1, Math.floor(half.length / BLOCKS_OF_HALF));
  const blocks = Array.from({ length: Math.floor(half.length / size) }, (_, index) =>
    half.slice(index * size, (index + 1) * size),
  );
  const mean = (block: readonly Sample[], key: keyof Sample) =>
    block.reduce((sum, sample) => sum + sample[key], 0) / block.length;
  return blocks.map((block) => ({ x: mean(block, 'minutes'), y: mean(block, 'megabytes') }));
}

function perHour(perMinute: Slope['perMinute']): string {
  return (perMinute * 60).toFixed(1);
}

function at(samples: readonly Sample[], share: number): number {
  return samples[Math.round((samples.length - 1) * share)]?.megabytes ?? Number.NaN;
}
