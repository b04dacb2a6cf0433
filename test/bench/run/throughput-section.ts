import {
  requireAtLeast,
  requireAtMost,
  type BarChart,
  type ReportSection,
  type RequirementVerdict,
} from './section.js';
import type { MedianAndRange } from './statistics.js';
import { formatRounded, formatRatio, formatSpread, formatTenths } from './table.js';
import type { MeasuredVariant } from './throughput.js';

const YARDSTICK = 'yardstick';
const PRODUCT = 'product';
const COMMON = 'common';

/** The required throughput, as a share of the yardstick's. */
const LEAST_OF_YARDSTICK: Readonly<Record<string, number>> = {
  ...{ plan: 0.95, session: 0.95, sessions: 0.95, apply: 0.95, 'get-plan': 0.8, list: 0.95 },
  ...{ 'list-included': 0.75, week: 0.75, reschedule: 0.95, mixed: 0.95 },
};
const LEAST_OF_COMMON: Readonly<Record<string, number>> = { plan: 4, sessions: 3 };
const MOST_CPU = 1.6;
const MOST_CPU_OF: Readonly<Record<string, number>> = { 'get-plan': 1.5 };
const MOST_P99 = 2;

/** Creates the section with the throughput of all workloads and variants. */
export function throughputSection(measured: readonly MeasuredVariant[], notes: readonly string[]): ReportSection {
  const byWorkload = [...Map.groupBy(measured, ({ workload }) => workload)];
  return {
    ...{ name: 'throughput', title: 'Requests of the workloads', header: HEADER, notes, figures: measured },
    rows: byWorkload.flatMap(([workload, own]) => {
      const yardstick = own.find(({ variant }) => variant === YARDSTICK);
      return own.map((item, index) => [index === 0 ? workload : '', ...cells(item, yardstick)]);
    }),
    charts: chartsOf(byWorkload),
    verdicts: byWorkload.flatMap(([workload, own]) => verdictsOf(workload, own)),
  };
}

const HEADER = [
  ...['', '', 'req/s', '(low–high)', 'ratio', 'p50', 'p99 ms', 'at half: p50', 'p99 ms', 'p99 ratio'],
  ...['CPU µs', 'ratio', 'db CPU µs', 'round trips', 'failed'],
];

function cells(item: MeasuredVariant, base: MeasuredVariant | undefined): string[] {
  const rate = item.requestsPerSecond;
  return [
    ...[item.variant, formatRounded(rate.median), formatSpread(rate), formatRatio(rate, base?.requestsPerSecond)],
    ...[formatTenths(item.p50.median), formatTenths(item.p99.median)],
    ...[
      formatTenths(item.steadyP50.median),
      formatTenths(item.steadyP99.median),
      formatRatio(item.steadyP99, base?.steadyP99),
    ],
    ...[
      formatRounded(item.serverCpu.median),
      formatRatio(item.serverCpu, base?.serverCpu),
      formatRounded(item.databaseCpu.median),
    ],
    ...[formatTenths(item.roundTrips), item.failed === 0 ? '' : String(item.failed)],
  ];
}

function verdictsOf(workload: string, own: readonly MeasuredVariant[]): RequirementVerdict[] {
  const of = (name: string) => own.find(({ variant }) => variant === name);
  const [product, yardstick, common] = [of(PRODUCT), of(YARDSTICK), of(COMMON)];
  const share = (key: 'requestsPerSecond' | 'serverCpu' | 'steadyP99', base: MeasuredVariant) =>
    product![key].median / base[key].median;
  const [least, leastOfCommon] = [LEAST_OF_YARDSTICK[workload], LEAST_OF_COMMON[workload]];
  if (product === undefined) return [];
  return [
    ...(yardstick && least
      ? [requireAtLeast(`${workload}, of the yardstick`, share('requestsPerSecond', yardstick), least)]
      : []),
    ...(common && leastOfCommon
      ? [requireAtLeast(`${workload}, of the common way`, share('requestsPerSecond', common), leastOfCommon)]
      : []),
    ...(yardstick
      ? [
          requireAtMost(
            `${workload}, CPU of the process, of the yardstick's`,
            share('serverCpu', yardstick),
            MOST_CPU_OF[workload] ?? MOST_CPU,
          ),
          requireAtMost(
            `${workload}, p99 at half the rate, of the yardstick's`,
            share('steadyP99', yardstick),
            MOST_P99,
          ),
        ]
      : []),
  ];
}

type Key = {
  [K in keyof MeasuredVariant]: MeasuredVariant[K] extends MedianAndRange ? K : never;
}[keyof MeasuredVariant];

function chartsOf(byWorkload: readonly [string, readonly MeasuredVariant[]][]): BarChart[] {
  const chart = (title: string, unit: string, barOf: (item: MeasuredVariant) => MedianAndRange): BarChart => ({
    ...{ kind: 'bars', title, unit, scale: 'own' },
    groups: byWorkload.map(([name, own]) => ({
      name,
      bars: own.map((item) => ({ name: item.variant, figure: barOf(item) })),
    })),
  });
  const of = (key: Key) => (item: MeasuredVariant) => item[key];
  const exactly = (value: number): MedianAndRange => ({ median: value, low: value, high: value });
  return [
    chart('Requests a second', '/s', of('requestsPerSecond')),
    ...RATIOS.map((ratio) => ratioChart(byWorkload, ratio)).filter(({ groups }) => groups[0]!.bars.length > 0),
    chart('p50 at half the maximum rate', 'ms', of('steadyP50')),
    chart('p99 at half the maximum rate', 'ms', of('steadyP99')),
    chart('CPU of the server, a request', 'µs', of('serverCpu')),
    chart('CPU of the database, a request', 'µs', of('databaseCpu')),
    chart('Round trips to the database, a request', '', ({ roundTrips }) => exactly(roundTrips)),
  ];
}

type Ratio = { title: string; key: Key; base: string; mark: string; boundOf: (workload: string) => number | undefined };

const RATIOS: readonly Ratio[] = [
  {
    ...{ title: 'Requests: the product’s of the yardstick’s', key: 'requestsPerSecond', base: YARDSTICK },
    ...{ mark: 'The mark: at least', boundOf: (workload) => LEAST_OF_YARDSTICK[workload] },
  },
  {
    ...{ title: 'Requests: the product’s of the common way’s', key: 'requestsPerSecond', base: COMMON },
    ...{ mark: 'The mark: at least', boundOf: (workload) => LEAST_OF_COMMON[workload] },
  },
  {
    ...{ title: 'CPU of the server: the product’s of the yardstick’s', key: 'serverCpu', base: YARDSTICK },
    ...{ mark: 'The mark: at most', boundOf: () => MOST_CPU },
  },
  {
    ...{ title: 'p99 at half the rate: the product’s of the yardstick’s', key: 'steadyP99', base: YARDSTICK },
    ...{ mark: 'The mark: at most', boundOf: () => MOST_P99 },
  },
];

/** Shows the product's figures as shares of another variant's median. The spread is that of the product. */
function ratioChart(byWorkload: readonly [string, readonly MeasuredVariant[]][], ratio: Ratio): BarChart {
  const { title, key, base, mark, boundOf } = ratio;
  const bars = byWorkload.flatMap(([name, own]) => {
    const product = own.find(({ variant }) => variant === PRODUCT)?.[key];
    const divisor = own.find(({ variant }) => variant === base)?.[key].median;
    if (product === undefined || divisor === undefined) return [];
    const figure = { median: product.median / divisor, low: product.low / divisor, high: product.high / divisor };
    return [{ name, figure, bound: boundOf(name) }];
  });
  return { kind: 'bars', title, unit: '', scale: 'shared', groups: [{ name: mark, bars }] };
}
