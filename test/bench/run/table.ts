import type { Figure } from './statistics.js';
import type { Measured } from './throughput.js';

/** The figures as text, a block for each workload. */
export function renderTable(measured: readonly Measured[], base = 'yardstick'): string {
  const byWorkload = Map.groupBy(measured, ({ workload }) => workload);
  const rows = [...byWorkload].flatMap(([workload, own]) => {
    const yardstick = own.find(({ variant }) => variant === base);
    return own.map((item, index) => [index === 0 ? workload : '', ...cells(item, yardstick)]);
  });
  return aligned([HEADER, ...rows]);
}

const HEADER = [
  ...['', '', 'req/s', '(low–high)', 'ratio', 'p50', 'p99 ms', 'at half: p50', 'p99 ms', 'p99 ratio'],
  ...['CPU µs', 'ratio', 'db CPU µs', 'round trips', 'failed'],
];

function cells(item: Measured, base: Measured | undefined): string[] {
  const rate = item.requestsPerSecond;
  return [
    item.variant,
    number(rate.median),
    `(${number(rate.low)}–${number(rate.high)})`,
    ratio(rate, base?.requestsPerSecond),
    tenths(item.p50.median),
    tenths(item.p99.median),
    tenths(item.steadyP50.median),
    tenths(item.steadyP99.median),
    ratio(item.steadyP99, base?.steadyP99),
    number(item.serverCpu.median),
    ratio(item.serverCpu, base?.serverCpu),
    number(item.databaseCpu.median),
    tenths(item.roundTrips),
    item.failed === 0 ? '' : String(item.failed),
  ];
}

export function ratio(figure: Figure, base: Figure | undefined): string {
  return base === undefined ? '' : (figure.median / base.median).toFixed(2);
}

export function number(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function tenths(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

/** Names to the left, figures to the right. */
function aligned(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('  '),
  );
  return lines.join('\n');
}
