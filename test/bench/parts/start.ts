import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_CORES, residentBytes } from '../run/machine.js';
import type { BenchmarkPart } from '../run/section.js';
import { PRODUCT_VARIANT, ServerProcess } from '../run/server.js';
import { computeFigure, type MedianAndRange } from '../run/statistics.js';
import { formatRounded, formatSpread } from '../run/table.js';

const EMBEDDED = { DATABASE_URL: '' };

type Kind = 'PostgreSQL' | 'embedded, first start' | 'embedded, later';
type Started = { kind: Kind; milliseconds: MedianAndRange; megabytes: MedianAndRange };

/** Measures the time from the start of the process until /health/ready succeeds, and the memory used by then. */
export const startPart: BenchmarkPart = {
  name: 'start',
  title: 'Start-up',
  async run({ database, options: { rounds }, tell }) {
    await database.create('start');
    const seen = new Map<Kind, { milliseconds: number; megabytes: number }[]>();
    const directory = mkdtempSync(join(tmpdir(), 'care-bench-'));
    for (let round = 1; round <= rounds; round += 1) {
      tell(`start: round ${round} of ${rounds}`, round - 1, rounds);
      const own = { ...EMBEDDED, DATA_DIR: join(directory, String(round)) };
      const starts: [Kind, Record<string, string>][] = [
        ['PostgreSQL', {}],
        ['embedded, first start', own],
        ['embedded, later', own],
      ];
      for (const [kind, environment] of starts)
        seen.set(kind, [...(seen.get(kind) ?? []), await startOnce(database.urlOf('start'), environment)]);
    }
    rmSync(directory, { recursive: true });
    await database.drop('start');
    return sectionOf(
      [...seen].map(([kind, runs]) => ({
        kind,
        milliseconds: computeFigure(runs.map(({ milliseconds }) => milliseconds)),
        megabytes: computeFigure(runs.map(({ megabytes }) => megabytes)),
      })),
    );
  },
};

async function startOnce(url: string, environment: Record<string, string>) {
  const begin = performance.now();
  const server = await ServerProcess.start(PRODUCT_VARIANT, url, { environment, cores: ALL_CORES });
  const milliseconds = performance.now() - begin;
  const megabytes = residentBytes(server.pid) / 1e6;
  await server.stop();
  return { milliseconds, megabytes };
}

function sectionOf(found: readonly Started[]) {
  const bars = (title: string, unit: string, key: 'milliseconds' | 'megabytes') => ({
    ...{ kind: 'bars' as const, title, unit, scale: 'shared' as const },
    groups: [{ name: 'The product', bars: found.map((item) => ({ name: item.kind, figure: item[key] })) }],
  });
  return {
    ...{ name: startPart.name, title: startPart.title, figures: found, verdicts: [] },
    header: ['', 'ready after ms', '(low–high)', 'resident MB', '(low–high)'],
    rows: found.map(({ kind, milliseconds, megabytes }) => [
      ...[
        kind,
        formatRounded(milliseconds.median),
        formatSpread(milliseconds),
        formatRounded(megabytes.median),
        formatSpread(megabytes),
      ],
    ]),
    charts: [bars('Time to ready', 'ms', 'milliseconds'), bars('Resident memory when ready', 'MB', 'megabytes')],
    notes: [
      'The first start of the embedded database copies the migrated one of the build, and creates the demonstration. All cores.',
    ],
  };
}
