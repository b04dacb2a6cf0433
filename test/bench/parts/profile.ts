import { runFullLoad } from '../run/load.js';
import { Profile, type CpuTimeShares } from '../run/profile.js';
import type { BenchmarkContext, BenchmarkPart } from '../run/section.js';
import { PRODUCT_VARIANT, ServerProcess, YARDSTICK_VARIANT, type ServiceVariant } from '../run/server.js';
import { WORKLOADS, type Workload } from '../run/workloads.js';

const WARM_UP = 6;
const SECONDS = 8;
/** Maximum number of packages with a row of their own in the table. All other packages share one row. */
const MOST = 14;

type Profiled = { workload: string; variant: string; requestMicroseconds: number } & CpuTimeShares;

/** Profiles the CPU time of the product and the yardstick: a table by package, and flame graphs. */
export const profilePart: BenchmarkPart = {
  name: 'profile',
  title: 'Where the time goes',
  async run(bench) {
    const workloads = WORKLOADS.filter(({ name }) => name !== 'mixed');
    const found: Profiled[] = [];
    for (const [index, workload] of workloads.entries()) {
      for (const variant of [PRODUCT_VARIANT, YARDSTICK_VARIANT]) {
        bench.tell(`profile: ${workload.name}, ${variant.name}`, index, workloads.length);
        found.push(await profileOf(bench, variant, workload));
      }
    }
    return sectionOf(found);
  },
};

async function profileOf(
  { database, scene }: BenchmarkContext,
  variant: ServiceVariant,
  workload: Workload,
): Promise<Profiled> {
  const here = await scene();
  const profiler = new Profile();
  const server = await ServerProcess.start(variant, database.urlOf(), { node: profiler.node });
  here.restart(21);
  const source = await workload.open(here);
  await runFullLoad(server.url, source, WARM_UP);
  const before = server.cpu;
  const { answered } = await runFullLoad(server.url, source, SECONDS);
  const requestMicroseconds = (server.cpu - before) / answered;
  await server.stop();
  return { workload: workload.name, variant: variant.name, requestMicroseconds, ...profiler.read(SECONDS) };
}

function sectionOf(found: readonly Profiled[]) {
  const sums = new Map<string, number>();
  for (const { packages } of found) for (const [of, share] of packages) sums.set(of, (sums.get(of) ?? 0) + share);
  const named = [...sums]
    .sort(([, a], [, b]) => b - a)
    .map(([of]) => of)
    .slice(0, MOST);
  const micros = ({ packages, requestMicroseconds }: Profiled, of: string) =>
    Math.round((packages.get(of) ?? 0) * requestMicroseconds);
  const left = (item: Profiled) =>
    Math.round(item.requestMicroseconds) - named.reduce((sum, of) => sum + micros(item, of), 0);
  return {
    ...{ name: profilePart.name, title: profilePart.title, verdicts: [] },
    figures: found.map(({ packages, ...item }) => ({ ...item, packages: Object.fromEntries(packages) })),
    header: ['CPU µs a request', ...found.map(({ workload, variant }) => `${workload} ${variant}`)],
    rows: [
      ...named.map((of) => [of, ...found.map((item) => String(micros(item, of)))]),
      ['all else', ...found.map((item) => String(left(item)))],
      ['together', ...found.map((item) => String(Math.round(item.requestMicroseconds)))],
    ],
    charts: found.map(({ workload, variant, flame }) => ({
      ...{ kind: 'flame' as const, title: `${workload}, ${variant}`, root: flame },
    })),
    notes: [
      'Measured with the profiler, which takes time itself: only shares, and what is beside each other, say something. What a ' +
        'function awaits is not below it in a flame graph, but beside it, below runMicrotasks. Blue is the service itself, green pg, ' +
        'grey Node and V8, and orange every other library.',
    ],
  };
}
