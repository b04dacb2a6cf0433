import type { BenchmarkDatabase } from './database.js';
import type { BenchOptions } from './options.js';
import type { FlameNode } from './profile.js';
import type { MedianAndRange } from './statistics.js';
import type { RequestGenerator } from './workloads.js';

/** The resources of a part of the benchmark. */
export type BenchmarkContext = {
  database: BenchmarkDatabase;
  options: BenchOptions;
  tell: (text: string, done?: number, all?: number) => void;
  /** Creates the rows that the requests of the workloads use, when it is first called. */
  scene: () => Promise<RequestGenerator>;
};

/** A measurement other than the throughput of the workloads. */
export type BenchmarkPart = { name: string; title: string; run: (bench: BenchmarkContext) => Promise<ReportSection> };

/** The results of a part: a table, charts, verdicts, and figures for further processing. */
export type ReportSection = {
  name: string;
  title: string;
  header: readonly string[];
  rows: readonly (readonly string[])[];
  charts: readonly Chart[];
  verdicts: readonly RequirementVerdict[];
  notes: readonly string[];
  figures: unknown;
};

export type RequirementVerdict = { what: string; found: string; bound: string; holds: boolean };

/** A bar of a chart. `bound` is the minimum or maximum that the value should have. */
export type ChartBar = { name: string; figure: MedianAndRange; bound?: number };
/** A bar chart with groups of bars. With `own`, each group has its own scale. */
export type BarChart = {
  kind: 'bars';
  title: string;
  unit: string;
  scale: 'own' | 'shared';
  groups: readonly { name: string; bars: readonly ChartBar[] }[];
};
export type LineChart = {
  kind: 'line';
  title: string;
  unit: string;
  xTitle: string;
  points: readonly { x: number; y: number }[];
};
export type FlameGraph = { kind: 'flame'; title: string; root: FlameNode };
export type Chart = BarChart | LineChart | FlameGraph;

export function requireAtLeast(what: string, found: number, bound: number): RequirementVerdict {
  return { what, found: found.toPrecision(3), bound: `≥ ${bound}`, holds: found >= bound };
}

export function requireAtMost(what: string, found: number, bound: number): RequirementVerdict {
  return { what, found: found.toPrecision(3), bound: `≤ ${bound}`, holds: found <= bound };
}
